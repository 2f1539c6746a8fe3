package jsonio_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/jsonio"
)

func TestRoundTrip(t *testing.T) { formattest.RoundTrip(t, "jsonl") }

// A text without its end is a shorter text: lines that are whole are records.
func TestDamagedFiles(t *testing.T) { formattest.Damaged(t, "jsonl", 200, false) }

func FuzzReader(f *testing.F) {
	f.Add([]byte("{\"string\":\"a\",\"int64\":1}\n\n{\"string\":null"))
	f.Add([]byte("\ufeff{\"string\":\"\\ud800\\udc00\\u0041\\n\",\"bool\":true,\"x\":[{\"a\":\"}\"}]}"))
	d := formattest.Domain()
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = formattest.ReadBytes(t, filepath.Join(t.TempDir(), "f.jsonl"), b, d) // fails if the error holds the file
	})
}

// twoColumns is a domain with a privacy ID.
var twoColumns = &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
	{Name: "s", Type: domain.String, Values: []string{"x"}, Null: true}, {Name: "Größe", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1, Null: true},
}}

func TestRecords(t *testing.T) {
	const absent = `"NULL" "NULL" "NULL" `
	name := filepath.Join(t.TempDir(), "a.jsonl")
	for _, c := range []struct{ line, want string }{
		{`{"id": 7, "s": "x", "Größe": 3}`, `"7" "x" "3" `},
		{" {\"Gr\\u00f6\\u00dfe\" :3\t,\"s\":\"\\u0078\", \"id\":\"7\"} ", `"7" "x" "3" `},
		{`{"id": 7.0, "s": true, "Größe": 3.0, "other": {"s": "\"}", "t": ["{", 1]}}`, `"7.0" "true" "3" `},
		{`{"s":"1","s":"2"}`, `"NULL" "2" "NULL" `},
		{"\ufeff{\"id\":7}", `"7" "NULL" "NULL" `},
		{"{\"id\":\"\ufeff7\"}", "\"\\ufeff7\" \"NULL\" \"NULL\" "},
		{`{"id":null,"s":null}`, absent},
		{`{}`, absent},
		{`[1, 2]`, absent},
		{`17`, absent},
		{`{"id":1`, absent},
		{`{"id":1,}`, absent},
		{`{"id":1} {"id":2}`, absent},
		{`{"s":{"a": "b}"},"Größe":[]}`, `"NULL" "{\"a\": \"b}\"}" "[]" `},
		{`{"id":"\ud83d\ude00"}`, "\"😀\" \"NULL\" \"NULL\" "},
		{`{"id":"\ud83dx"}`, "\"\\xed\\xa0\\xbdx\" \"NULL\" \"NULL\" "},
		{`{"id":"\ud83d\n"}`, "\"\\xed\\xa0\\xbd\\n\" \"NULL\" \"NULL\" "},
		{`{"id":"` + strings.Repeat("x", 16<<20) + `"}`, absent},
		{strings.Repeat("[", 1<<20), absent},
	} {
		text := "{\"s\":\"first\"}\r\n\r\n" + c.line + "\n \t\n{\"s\":\"last\"}"
		if strings.HasPrefix(c.line, "[") {
			text = "\ufeff" + text // before a record, and not in it
		}
		got, err := formattest.ReadBytes(t, name, []byte(text), twoColumns)
		want := []string{`"NULL" "first" "NULL" `, c.want, `"NULL" "last" "NULL" `}
		must.Hold(t, err == nil && slices.Equal(got, want), "%.80s:\n got %.200q, %v\nwant %q", c.line, got, err, want)
	}
}

// TestOddRecords: no record decides how a file is read, the first one neither.
func TestOddRecords(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf(`{"id": "p%d", "s": "x", "n": %d}`, i, i) }
	odd := map[string]string{
		"a list": "[1]", "an empty list": "[]", "a bracket": "[", "a list of records": "[" + line(7) + "]", "a brace": "{", "another end of a list": "]",
		"gzip": "\x1f\x8b\x08\x00abc", "Zstandard": "\x28\xb5\x2f\xfdabc", "zip": "PK\x03\x04", "Parquet": "PAR1", "Arrow": "ARROW1\x00\x00", "Avro": "Obj\x01",
		"zeros": strings.Repeat("\x00", 3000), "UTF-16": "\xff\xfe{\x00}\x00", "a mark": "\ufeff" + line(7), "two marks": "\ufeff\ufeff" + line(7), "a mark inside": `{"id": "` + "\ufeff" + `p7"}`,
		"a mark alone": "\ufeff", formattest.LongText: `{"id": "q", "s": "` + strings.Repeat("x", 17<<20) + `"}`, "a long list": strings.Repeat("[", 17<<20), "HTML": "<html>", "a header": "id,s,n",
		"no number": `{"id": NaN}`, "a huge number": `{"id": 1e999999999, "n": 1e-300000000}`, "an ID twice": `{"id": 1, "id": 2}`, "a nested ID": `{"id": {"a": 1}}`, "a return": "{\"id\": 1,\r\"s\": \"x\"}\r",
	}
	formattest.OddRecords(t, "jsonl", schema.CSV{}, line, odd, func(records []string) []byte { return []byte(strings.Join(records, "\n") + "\n") })
}

// What a domain file says of texts applies to texts alone.
func TestForm(t *testing.T) {
	ctx, name := context.Background(), filepath.Join(t.TempDir(), "a.ndjson")
	must.Do(t, os.WriteFile(name, []byte(`{"id":" a ","s":" NA ","Größe":"1.234,0"}`+"\n"+`{"id":"?","s":"x","Größe":1.5}`), 0o600))
	src := must.Value(table.Find(ctx, name, nil))(t)
	form := src.Form(schema.CSV{Trim: true, Null: []string{"NA"}, NullID: []string{"?"}, Written: map[string]schema.Written{"Größe": schema.CommaNumbers}})
	var got []string
	must.Do(t, src.Each(ctx, twoColumns, form, formattest.Rows(twoColumns, &got)))
	must.List(t, got, []string{`" a " "NULL" "1234" `, `"NULL" "x" "1.5" `})
}

func TestRefusals(t *testing.T) {
	ctx, name := context.Background(), filepath.Join(t.TempDir(), "a.json")
	must.Fails(formattest.ReadBytes(t, name, []byte(`[{"id":1}]`), twoColumns))(t, "it is one JSON list", "a list")
	list, _ := table.FormatOf("jsonl")
	advice, err := list.Advise(ctx, files.Info{Name: name}, schema.CSV{})
	must.Hold(t, err == nil && strings.Contains(advice, "it is one JSON list"), "advice on a list: %q, %v", advice, err)
	must.Do(t, os.WriteFile(name, []byte("{}\n\n{\"s\": 1\n"), 0o600))
	src, err := table.Find(ctx, name, nil)
	must.Do(t, err)
	err = src.Each(ctx, twoColumns, src.Form(schema.CSV{Strict: true}), func(*domain.Chunk) error { return nil })
	must.Fail(t, err, "line 3: no JSON object", "strict")
	names, err := src.Columns(ctx, schema.CSV{})
	must.Hold(t, names == nil && err == nil, "names %q were read off records (%v)", names, err)
}

func TestDescribe(t *testing.T) {
	ctx, name := context.Background(), filepath.Join(t.TempDir(), "it's.jsonl")
	text := `{"zip":"94105","day":"2024-01-01","n":1,"home":{"city":"x"},"mixed":"1"}` + "\n" +
		`{"zip":"x","day":"2024-01-02","n":2,"tags":[1],"mixed":2}` + "\nno object\n"
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	src := must.Value(table.Find(ctx, name, nil))(t)
	columns, _, err := src.Describe(ctx, schema.CSV{})
	must.Do(t, err)
	var got []string
	for _, c := range columns {
		kind := "untyped"
		if !c.Untyped {
			kind = c.Type.String()
		}
		if c.Fault != "" {
			kind = "nested"
			must.Hold(t, strings.Contains(c.Fault, `duckdb -c "COPY (SELECT * EXCLUDE (\"`+c.Name+`\"), unnest(\"`+c.Name+`\", recursive := true) FROM '`),
				"%s: %s", c.Name, c.Fault)
		}
		got = append(got, c.Name+" "+kind)
	}
	must.List(t, got, []string{"zip STRING", "day untyped", "n untyped", "home nested", "mixed untyped", "tags nested"})
	f, _ := table.FormatOf("jsonl")
	advice, err := f.Advise(ctx, files.Info{Name: name}, schema.CSV{})
	must.Hold(t, err == nil && strings.Contains(advice, "line 3 is no JSON object") && strings.Contains(advice, `(\"home\", \"tags\")`),
		"advice %q, %v", advice, err)
}
