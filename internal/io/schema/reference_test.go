package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// plain makes of a decoded YAML value what JSON has: editors take dates for texts.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	case map[any]any: // some key is no text: null, or a number in a map of values
		texts := map[string]any{}
		for k := range v {
			name := fmt.Sprint(k)
			if k == nil {
				name = "null"
			}
			texts[name] = plain(v[k])
		}
		return texts
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case time.Time:
		return v.Format(time.RFC3339)
	case int:
		return json.Number(strconv.Itoa(v))
	}
	return v
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text := must.Value(JSONSchema())(t)
	doc := must.Value(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("domain.json", doc))
	s := must.Value(c.Compile("domain.json"))(t)
	return s
}

// What the schema refuses the parser refuses, and it takes what the parser takes.
func TestJSONSchemaAgreesWithParser(t *testing.T) {
	s := compiled(t)
	agrees := func(name, text string, good bool) {
		t.Helper()
		var v any
		err := yaml.Unmarshal([]byte(text), &v)
		must.Need(t, err == nil, "%v, %v", name, err)
		_, _, parsed := ParseOpen(name, []byte(text))
		checked := s.Validate(plain(v))
		must.Hold(t, (parsed == nil) == good && (checked == nil) == good, "%s\nparser: %v\nschema: %v\nwant good: %v", text, parsed, checked, good)
	}
	for _, path := range []string{"testdata/product.yaml", "testdata/whole/adult.yaml", "testdata/whole/adult15.yaml"} {
		b := must.Value(os.ReadFile(path))(t)
		agrees(path, string(b), true)
	}
	const two = "columns: [{name: a, type: INT64, min: 0, max: 9, null: true}, {name: b, type: INT64, min: 0, max: 9, null: true}]\n"
	const none = "privacy_id: none\n"
	for _, text := range []string{
		none, none + "columns: find\ncsv: {encoding: windows-1252}\n", none + "columns: [{name: a, type: INT64, values: find}]\n",
		none + two + "constraints: [{order: [a, b]}, {derive: c, from: a + b}, {sum: d, of: [a, b]}]\n",
		none + two + "constraints: [{derive: c, from: a, map: {1: x}, else: y}]\ngenerate: [{column: k, as: uuid}]\n",
		none + two + "constraints: [{derive: c, from: [a, b], map: {1: {2: x, 3: y}, 4: {5: x}}, else: z}]\n",
		none + two + "impossible: [{a: 1, b: [2, 3]}, {a: null, b: 1}]\nworkload: [{columns: [a, b], weight: 2}]\n",
		none + two + "workload: {target: b}\n",
		"privacy_id: p\n" + two + "csv: {trim: true, trim_id: true, null: ['?'], null_id: [x], comma: ';', max_record_mib: 8}\n",
		"privacy_id: none\nexpected_rows: 5\ncolumns: [{name: y, type: BOOL, null: true}, {name: f, type: FLOAT64, edges: [0, 0.5, 1], fallback: 0.2}]\n",
		"privacy_id: none\ncolumns: [{name: d, type: DATE, min: 2020-01-01, max: 2024-12-31, step: month, null: true}]\n",
		"privacy_id: none\ncolumns: [{name: i, type: INT64, values: [1, 2], other: true, other_value: 9}]\n",
	} {
		agrees("good", text, true)
	}
	for _, text := range []string{
		"privacy_id: none\ncolumns: []\n", "colums: [a]\n", "privacy_id: p\ncolumns: found\n", two,
		"privacy_id: none\ncolumns: [{name: a, type: INT, min: 0, max: 9, null: true}]\n",
		"privacy_id: none\ncolumns: [{type: INT64, min: 0, max: 9, null: true}]\n",
		"privacy_id: none\ncolumns: [{name: a, min: 0, max: 9, null: true}]\n",
		"privacy_id: none\ncolumns: [{name: a, type: STRING, min: 0, max: 9, null: true}]\n",
		"privacy_id: none\ncolumns: [{name: a, type: FLOAT64, values: [0, 1], null: true}]\n",
		"privacy_id: none\ncolumns: [{name: a, type: INT64, min: 0, max: 9, step: day, null: true}]\n",
		"privacy_id: none\ncolumns: [{name: a, type: INT64, min: 0, edges: [0, 1], null: true}]\n",
		"privacy_id: none\ncolumns: [{name: a, type: INT64, min: 0, max: 9, null: 'yes'}]\n",
		"privacy_id: none\ncolumns: [{name: a, type: INT64, min: 0, max: 9, null: true, width: 2}]\n",
		two + "constraints: [{order: [a, b], sum: a}]\n",
		none + two + "constraints: [{derive: c}]\n",
		two + "constraints: [{from: a}]\n",
		two + "generate: [{column: k}]\n",
		none + two + "impossible: [{a: 1}]\n",
		two + "workload: [{weight: 2}]\n",
		none + two + "workload: {}\n", none + two + "workload: {target: [a, b]}\n", none + two + "workload: {target: a, weight: 3}\n",
		two + "csv: {sep: ';'}\n",
	} {
		agrees("bad", text, false)
	}
}

// Every key of the parser is in the reference, whose lines fit a terminal.
func TestReference(t *testing.T) {
	var b strings.Builder
	must.Do(t, WriteReference(&b))
	for _, part := range referenceParts {
		for _, k := range part.keys {
			must.Hold(t, k.text != "" && strings.Contains(b.String(), "  "+k.name+": "+k.form), "%s: the key %s is not explained", part.title, k.name)
		}
	}
	for line := range strings.Lines(b.String()) {
		must.Hold(t, utf8.RuneCountInString(line) <= 130, "more than 130 characters: %s", line)
	}
	_, example, _ := strings.Cut(b.String(), "example\n")
	must.Passes(Parse("example", []byte(example)))(t)
}
