package schema

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestWrittenFaults(t *testing.T) {
	const head = "privacy_id: none\ncolumns:\n" +
		"  - {name: price, type: NUMERIC, min: 0, max: 10, null: true}\n" +
		"  - {name: born, type: DATE, min: 1900-01-01, max: 2024-12-31, null: true}\n" +
		"  - {name: at, type: TIME, min: 00:00:00, max: 23:59:59, null: true}\n" +
		"  - {name: city, type: STRING, values: [A, B], null: true}\n"
	f, err := Parse("f", []byte(head+"csv: {written: {price: \"1.234,5\", born: 31.12.2024}}\n"))
	must.Hold(t, err == nil && len(f.CSV.Written) == 2 && f.CSV.Written["price"] == CommaNumbers && f.CSV.Written["born"] == DayFirst, "%v, %v", f, err)
	_, err = Parse("f", []byte(head+"csv: {written: {price: 31.12.2024, born: D.M.Y, city: \"1.234,5\", at: 12/31/2024, town: 1}}\n"))
	_, encoding := Parse("f", []byte(head+"csv: {encoding: latin1}\n"))
	must.Hold(t, encoding != nil && strings.Contains(encoding.Error(), `csv: encoding: got "latin1"; it is one of windows-1252`), "%v", encoding)
	for text, want := range map[string]string{
		"csv: {mark: true}": "csv: mark: it is for files without a header line",
		"csv: {encoding: windows-1252, mark: true, columns: [price]}": "csv: mark: windows-1252 has no byte order mark",
		"csv: {header: true, columns: [price]}":                       "csv: header: files with a header line have no csv: columns",
	} {
		must.Fails(Parse("f", []byte(head+text+"\n")))(t, want, "%s", text)
	}
	for _, want := range []string{
		`csv: written: column "price" is a NUMERIC, whose forms are "1,234.5", "1.234,5"`,
		`csv: written: born: got "D.M.Y"; the forms are "1,234.5", "1.234,5", "31.12.2024", "12/31/2024", "31 Dec 2024", "20241231"`,
		`csv: written: column "city" is a STRING, which is written in one way only; leave it out`,
		`csv: written: column "at" is a TIME, which is written in one way only`,
		`csv: written: unknown key "town"; the keys are price, born, at, city`,
	} {
		must.Fail(t, err, want)
	}
}

// TestJSON: a domain file written as JSON declares the same, and names its faults as before.
func TestJSON(t *testing.T) {
	for _, path := range []string{"testdata/product.yaml", "../../../examples/visits/people.yaml", "../../../examples/constraints/stays.yaml"} {
		data := must.Value(os.ReadFile(path))(t)
		want := must.Value(Parse("domain", data))(t)
		text, err := JSON("domain", data)
		must.Need(t, err == nil && json.Valid(text), "%s: %v\n%s", path, err, text)
		got, err := Parse("domain", text)
		must.Hold(t, err == nil && reflect.DeepEqual(got.Domain, want.Domain), "%s: declares another domain: %v\n%s", path, err, text)
	}
	pairs := "privacy_id: none\ncolumns: [{name: a, type: STRING, values: [x, y], null: true}, {name: b, type: INT64, min: 0, max: 1, null: true}]\n" +
		"constraints: [{derive: c, from: [a, b], map: {x: {0: 3.5, 1: 4}, y: {1: 2}}, else: 1}]\n"
	want := must.Value(Parse("domain", []byte(pairs)))(t)
	got, err := Parse("domain", must.Value(JSON("domain", []byte(pairs)))(t))
	must.Hold(t, err == nil && reflect.DeepEqual(got.Domain, want.Domain) && len(want.Domain.Derived) == 1 && len(want.Domain.Derived[0].Map) == 3,
		"a map of two columns: %v", err)
	must.Fails(JSON("domain", []byte("privacy_id: none\ncolumns: [{name: a}]")))(t, "", "a faulty file was written")
	odd := "privacy_id: none\ncolumns:\n  - {name: a, type: STRING, values: [No, 007, 1e3, \"null\", 0x10, .inf, \"<é\u2028\"], null: true}\n"
	if text, err := JSON("domain", []byte(odd)); err != nil || string(text) != `{"privacy_id":"none","columns":[{"name":"a","type":"STRING","values":["No","007",1e3,"null","0x10",".inf","<é\u2028"],"null":true}]}` {
		t.Errorf("got %s, %v", text, err)
	}
}
