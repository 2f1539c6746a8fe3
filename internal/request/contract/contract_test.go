package contract

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// contracts are descriptions of one table, and what they say of it beyond what all say.
var contracts = map[string]struct{ text, table, want string }{
	"ODCS": {text: `
apiVersion: v3.1.0
kind: DataContract
schema:
- name: other
- name: visits
  properties:
  - {name: person, logicalType: string, required: true, primaryKey: true}
  - {name: age, logicalType: integer, physicalType: int, required: true, logicalTypeOptions: {minimum: 0, exclusiveMaximum: 120}}
  - {name: sex, logicalType: string, quality: [{type: library, metric: invalidValues, arguments: {validValues: [F, M]}, mustBe: 0}]}
  - {name: fare, physicalType: "decimal(10, 2)", logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 500}}
  - {name: day, logicalType: date, required: true, logicalTypeOptions: {minimum: "2020-01-01", maximum: "2024-12-31"}}
  - {name: note, logicalType: string}
  - {name: tags, logicalType: array}
`, table: "visits", want: "age 0..119 fallback, sex F M null, fare NUMERIC 0..500 null, day 2020-01-01..2024-12-31 fallback; out: note, tags"},
	"JSON Schema": {text: `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["person", "age", "day"],
"properties": {"person": {"type": "string", "format": "uuid"}, "age": {"type": "integer", "minimum": 0, "exclusiveMaximum": 120},
"sex": {"anyOf": [{"$ref": "#/$defs/Sex"}, {"type": "null"}]}, "fare": {"type": ["number", "null"], "minimum": 0, "maximum": 500, "multipleOf": 0.05},
"day": {"type": "string", "format": "date"}, "home": {"type": "object"}, "id": {"type": "string", "format": "uuid"}},
"$defs": {"Sex": {"enum": ["F", "M"], "type": "string"}}}`, want: "age 0..119 fallback, sex F M null, fare FLOAT64 0..500 0.05 null, day 1900-01-01..2100-12-31 fallback; out: home, id; uuid id"},
	"dbt": {text: `
version: 2
models:
- name: visits
  columns:
  - {name: person, data_type: bigint, data_tests: [unique, not_null]}
  - name: age
    data_type: integer
    data_tests:
    - not_null
    - dbt_utils.accepted_range: {min_value: 0, max_value: 119}
  - name: sex
    tests: [{accepted_values: {values: [F, M]}}]
  - name: fare
    data_type: numeric(10,2)
    data_tests: [{dbt_expectations.expect_column_values_to_be_between: {arguments: {min_value: 0, max_value: 500}}}]
  - {name: number, data_type: bigint, constraints: [{type: primary_key}]}
  - {name: free}
`, want: "age 0..119 fallback, sex F M null, fare NUMERIC 0..500 null; out: number, free; serial number"},
}

// What a description says of columns is in the domain file, which is valid as it is.
func TestPropose(t *testing.T) {
	for kind, c := range contracts {
		text, err := Propose("it", []byte(c.text), c.table, "person")
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		f, err := schema.Parse("domain", text)
		if err != nil {
			t.Errorf("%s: %v\n%s", kind, err, text)
			continue
		}
		kept, out, _ := strings.Cut(c.want, "; out: ")
		out, generated, _ := strings.Cut(out, "; ")
		var names []string
		for _, words := range strings.Split(kept, ", ") {
			words := strings.Fields(words)
			names = append(names, words[0])
			_, line, _ := strings.Cut(string(text), "name: "+words[0])
			line, _, _ = strings.Cut(line, "\n  - ")
			for _, w := range words[1:] {
				lo, hi, isRange := strings.Cut(w, "..")
				must.Hold(t, (!isRange || strings.Contains(line, "min: "+yamltext.Plain(lo)+", max: "+yamltext.Plain(hi))) && (isRange || strings.Contains(line, w)),
					"%s: %s: no %s in %s", kind, words[0], w, line)
			}
			must.Hold(t, strings.Contains(line, "null: true") != strings.Contains(line, "fallback"), "%s: NULL or a fallback: %s", kind, line)
		}
		got := strings.Join(f.Domain.Names(), " ")
		must.Hold(t, got == strings.Join(names, " ") && f.Domain.PrivacyID == "person", "%s: columns %s, want %s", kind, got, names)
		for _, name := range strings.Split(out, ", ") {
			must.Hold(t, name == "" || strings.Contains(string(text), "  # - {name: "+name+", type: ") || strings.Contains(string(text), "  # - {name: "+name+"}"),
				"%s: %s is not left out:\n%s", kind, name, text)
		}
		if as, name, _ := strings.Cut(generated, " "); generated != "" && (len(f.Domain.Generated) != 1 || f.Domain.Generated[0].Column != name || f.Domain.Generated[0].As != as) {
			t.Errorf("%s: generated %v", kind, f.Domain.Generated)
		}
	}
}

func TestProposeRefuses(t *testing.T) {
	for _, c := range []struct{ text, table, id, want string }{
		{"\x00", "", "", "neither JSON nor YAML"},
		{"[1, 2]", "", "", "it is no ODCS contract"},
		{"a: b", "", "", "it is no ODCS contract"},
		{contracts["ODCS"].text, "", "", "several tables; name one as FILE#TABLE: other, visits"},
		{contracts["ODCS"].text, "vist", "", `no table "vist", but other, visits`},
		{contracts["dbt"].text, "", "persn", `no column "persn" to be the privacy ID`},
		{`{"properties": {"a": {"type": "string"}}}`, "", "", "no values and no limits of any column"},
		{`{"properties": {"a": {"$ref": "#/properties/a"}}}`, "", "", "no values and no limits"},
		{`{models: [{name: m, columns: [{name: a}, {name: a}]}]}`, "", "", `two columns are called "a"`},
		{`{"type": "record", "fields": [{"name": "a", "type": "boolean"}]}`, "", "", "can be converted to JSON Schema"},
	} {
		must.Fails(Propose("it", []byte(c.text), c.table, c.id))(t, c.want, "%.40s", c.text)
	}
}

// FuzzPropose: no description makes it panic, and what it proposes is valid.
func FuzzPropose(f *testing.F) {
	for _, c := range contracts {
		f.Add([]byte(c.text), c.table)
	}
	f.Fuzz(func(t *testing.T, text []byte, table string) {
		got, err := Propose("it", text, table, "")
		if err != nil {
			return
		}
		_, err = schema.Parse("domain", got)
		must.Hold(t, err == nil, "%v\n%s", err, got)
	})
}
