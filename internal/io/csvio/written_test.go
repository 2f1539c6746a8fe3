package csvio

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Cells in the forms that people write arrive as numbers and dates; what is in no form arrives as it stands, and so do
// IDs, which nothing is read into.
func TestWritten(t *testing.T) {
	f := parse(t, `privacy_id: id
columns:
  - {name: price, type: NUMERIC, min: 0, max: 10000, null: true}
  - {name: born, type: DATE, min: 1920-01-01, max: 2019-12-31, null: true}
  - {name: city, type: STRING, values: [A], null: true}
csv: {comma: ";", null: ["-"], written: {price: "1.234,5", born: 31.12.2024}}
`)
	text := "id;price;born;city\n" +
		"1.234,5;1.234,50 €;31.12.24;1.234,5\n" +
		"2;-;1/2/2019;31.12.2024\n" +
		"3;\" 7,5 \";2019-05-06;A\n" +
		"4;48.1372;31/31/2024;A\n" +
		"5;(3,25);5.6.19 00:00;\n"
	got, err := records(strings.NewReader(text), "t.csv", f.Domain, f.CSV)
	want := "2:1.234,5|1234.50|1924-12-31|1.234,5| 3:2|-|2019-2-1|31.12.2024| 4:3|7.5|2019-05-06|A| " +
		"5:4|48.1372|2024-31-31|A| 6:5|-3.25|2019-6-5 00:00|-|"
	must.Hold(t, err == nil && got == want, "%v\n%s\nwant\n%s", err, got, want)
}

// Windows-1252 becomes UTF-8, in names, cells and IDs, and every byte stays another; a byte order mark wins.
func TestWindows1252(t *testing.T) {
	f := parse(t, "privacy_id: id\ncolumns:\n  - {name: Größe, type: STRING, values: [A], other: true}\ncsv: {encoding: windows-1252}\n")
	text := "id,Gr\xf6\xdfe\n"
	for c := 0x80; c <= 0xff; c++ {
		text += string([]byte{byte(c), ',', byte(c), '\n'})
	}
	seen := map[string]bool{}
	read := func(text string) (cells string) {
		err := Each(strings.NewReader(text), "t.csv", f.Domain, f.CSV, func(c *domain.Chunk) error {
			for i := range c.Rows {
				seen[string(c.ID.Text(i))] = true
				cells += string(c.Columns[0].Text(i))
			}
			return nil
		})
		must.Hold(t, err == nil, "%v", err)
		return cells
	}
	got := read(text)
	must.Hold(t, strings.HasPrefix(got, "€\u0081‚ƒ„") && strings.HasSuffix(got, "üýþÿ") && len(seen) == 128, "%d IDs, cells %s", len(seen), got)
	must.Equal(t, read("\ufeffid,Größe\n1,ß\n"), "ß", "UTF-8 with a mark")
	long := "id,Gr\xf6\xdfe\n" + strings.Repeat("1,"+strings.Repeat("\xe4", 999)+"\n", 100)
	got = read(long)
	must.Hold(t, got == strings.Repeat("ä", 99_900), "%d bytes of a long file", len(got))
	_, err := NewReader(strings.NewReader(text), "t.csv", f.Domain, schema.CSV{})
	must.Fail(t, err, "not UTF-8; write csv: {encoding: windows-1252}")
}
