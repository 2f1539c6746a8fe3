package schema

import (
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
