package csvio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Value(w.Write([]byte(text)))(t)
	must.Do(t, w.Close())
	return b.String()
}

func standard(t *testing.T, text string) string {
	t.Helper()
	w := must.Value(zstd.NewWriter(nil))(t)
	return string(w.EncodeAll([]byte(text), nil))
}

// wide returns a text in UTF-16 with its mark.
func wide(text string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, v := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, v)
	}
	return string(b)
}

// TestForms: compression and encoding change nothing.
func TestForms(t *testing.T) {
	const text = "id,sex,age\r\nя𝄞,\"a\r\nb\",5\r\n2,M,6\r\n"
	const want = "2:я𝄞|a\r\nb|5| 4:2|M|6|"
	for name, content := range map[string]string{
		"p.csv": text, "bom.csv": "\ufeff" + text, "p.csv.gz": zipped(t, text), "P.CSV.GZ": zipped(t, "\ufeff"+text), "p.csv.zst": standard(t, text),
		"two.csv.gz": zipped(t, text[:15]) + zipped(t, text[15:]), "two.csv.zst": standard(t, text[:15]) + standard(t, text[15:]),
		"little.csv": wide(text, binary.LittleEndian), "big.csv": wide(text, binary.BigEndian), "little.csv.gz": zipped(t, wide(text, binary.LittleEndian)),
	} {
		for _, r := range []io.Reader{strings.NewReader(content), iotest.OneByteReader(strings.NewReader(content)), iotest.DataErrReader(strings.NewReader(content))} {
			got, err := records(r, name, parse(t, twoColumns).Domain, schema.CSV{})
			must.Hold(t, err == nil && got == want, "%s: got %q, %v; want %q", name, got, err, want)
		}
	}
	var long strings.Builder
	for i := 0; long.Len() < 5*window; i++ {
		fmt.Fprintf(&long, "%d,é𝄞,5\n", i)
	}
	want2 := must.Value(show(t, "id,sex,age\n"+long.String(), schema.CSV{}))(t)
	got, err := show(t, wide("id,sex,age\n"+long.String(), binary.LittleEndian), schema.CSV{})
	must.Hold(t, err == nil && got == want2, "a long file in UTF-16: %v, or other records", err)
}

// TestWideIDsStayDistinct: UTF-16 that is malformed is not replaced by one character.
func TestWideIDsStayDistinct(t *testing.T) {
	seen := map[string]int{}
	for i, units := range [][]uint16{{0xd800}, {0xd801}, {0xdc00}, {0xdc00, 0xd800}, {0xd800, 0xd800}, {0xd800, 0xdc00}, {0xfffd}, {0xdbff, 'a'}, {'a', 0xdfff}, {0xfffe}, {0xfeff}} {
		b := []byte(wide("sex,id,age\nF,", binary.LittleEndian))
		for _, v := range append(units, '\n') {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		got, err := show(t, string(b), schema.CSV{})
		other, is := seen[got]
		must.Hold(t, !is && err == nil, "units %d and %d are read alike: %q, %v", other, i, got, err)
		seen[got] = i
	}
	half := wide("sex,id,age\nF,1", binary.LittleEndian)
	whole, _ := show(t, half, schema.CSV{})
	cut, err := show(t, half[:len(half)-1], schema.CSV{})
	must.Hold(t, err == nil && cut != whole, "half of a unit at the end: %q, %v", cut, err)
}

// TestForeign: what is no CSV file is called by its name, with what to do, before a record is read.
func TestForeign(t *testing.T) {
	const text = "id,sex,age\n1,F,5\n2,M,6\n"
	for _, c := range []struct {
		name, file, content string
		opts                schema.CSV
		want                string
	}{
		{"gzip", "p.csv", zipped(t, text), schema.CSV{}, "csv: p.csv: it is compressed by gzip; add .gz to its name"},
		{"zstd", "p.csv", standard(t, text), schema.CSV{}, "csv: p.csv: it is compressed by Zstandard; add .zst to its name"},
		{"not gzip", "p.csv.gz", text, schema.CSV{}, "csv: p.csv.gz: the name says gzip, and the content is something else; rename the file"},
		{"not zstd", "p.csv.zst", text, schema.CSV{}, "csv: p.csv.zst: the name says Zstandard, and the content is something else; rename the file"},
		{"cut gzip", "p.csv.gz", zipped(t, text)[:20], schema.CSV{}, "csv: p.csv.gz: what is compressed cannot be unpacked to its end (unexpected EOF); is the file whole?"},
		{"zip", "p.csv", "PK\x03\x04\x14\x00\x00\x00", schema.CSV{}, "csv: p.csv: it is an Excel workbook, or a zip archive; unpack the archive, save the sheet as CSV, or turn it into Parquet, such as by duckdb -c \"LOAD excel; "},
		{"JSON lines", "p.csv", "{\"id\": 1, \"sex\": \"F\"}\n", schema.CSV{}, "csv: p.csv: it is JSON; let its name end in .jsonl if it has one object a line, or turn it into Parquet, such as by duckdb -c \"COPY (FROM 'FILE.json') TO 'FILE.parquet'\""},
		{"JSON", "p.csv", "[\n  {\n", schema.CSV{}, "csv: p.csv: it is JSON"},
		{"a list of lists", "p.csv", "[[1, 2]]\n", schema.CSV{}, "csv: p.csv: it is JSON"},
		{"names in brackets", "p.csv", "[id],id,sex,age\n", schema.CSV{}, ""},
		{"Avro", "p.csv", "Obj\x01\x04", schema.CSV{}, "csv: p.csv: it is an Avro file; let its name end in .avro"},
		{"SQLite", "p.csv", "SQLite format 3\x00", schema.CSV{}, "csv: p.csv: it is an SQLite database; turn the table into Parquet"},
		{"ORC", "p.csv", "ORC\n\a\x12", schema.CSV{}, "csv: p.csv: it is an ORC file"},
		{"HTML", "p.csv", "<table border=\"1\" class=\"dataframe\">\n", schema.CSV{}, "csv: p.csv: it is HTML or XML; save the table as CSV"},
		{"XML", "p.csv", "<?xml version='1.0'?>\n", schema.CSV{}, "csv: p.csv: it is HTML or XML"},
		{"PDF", "p.csv", "%PDF-1.7\n\xe2", schema.CSV{}, "csv: p.csv: it is a PDF document"},
		{"Parquet", "p.csv", "PAR1\x15\x04\x15\x00", schema.CSV{}, "csv: p.csv: it is a Parquet file; let its name end in .parquet"},
		{"PAR1 as a name", "p.csv", "PAR1,id,sex,age\n1,2,3,4\n", schema.CSV{}, ""},
		{"UTF-16 without a mark", "p.csv", wide(text, binary.LittleEndian)[2:], schema.CSV{}, "csv: p.csv: it is UTF-16 without a byte order mark; save it as UTF-8, or write csv: {encoding: utf-16le} or {encoding: utf-16be} in the domain file"},
		{"binary", "p.csv", "\x7fELF\x02\x01\x01\x00\x00\x00\n", schema.CSV{}, "csv: p.csv: it holds bytes that no text has; name a CSV file"},
		{"a picture", "p.csv", "\x89PNG\r\n\x1a\n\x00", schema.CSV{}, "csv: p.csv: it is a picture; a CSV file is needed"},
		{"HDF5", "p.csv", "\x89HDF\r\n\x1a\n\x00", schema.CSV{}, "csv: p.csv: it is an HDF5 file"},
		{"any bytes but 0", "p.csv", "id\x02\xe9\x10\xff\x13abc\r\xee\x11", schema.CSV{}, "csv: p.csv: it holds bytes that no text has; name a CSV file"},
		{"separators of ASCII", "p.csv", "id\x1fsex\x1fage\n1\x1fF\x1f5\n", schema.CSV{Comma: 0x1f}, ""},
		{"zeros in a record", "p.csv", text + string(make([]byte, 1<<20)), schema.CSV{}, ""},
		{"CR", "p.csv", strings.ReplaceAll(text, "\n", "\r"), schema.CSV{}, "csv: p.csv: its lines end in CR alone, as on old Macs; turn each CR into LF, such as by tr '\\r' '\\n'"},
		{"CR in a quoted name", "p.csv", "id,\"sex\",age,\"a\rb\"\n1,F,5\n", schema.CSV{}, ""},
		{"semicolons", "p.csv", strings.ReplaceAll(text, ",", ";"), schema.CSV{}, `csv: p.csv: the header line is separated by semicolons; write csv: {comma: ";"} in the domain file`},
		{"quoted and semicolons", "p.csv", `"id";"sex";"age"` + "\n", schema.CSV{}, `csv: p.csv: the header line is separated by semicolons; write csv: {comma: ";"} in the domain file`},
		{"tabs", "p.csv", strings.ReplaceAll(text, ",", "\t"), schema.CSV{Comma: ';'}, `csv: p.csv: the header line is separated by tabs; write csv: {comma: "\t"} in the domain file`},
		{"commas", "p.csv", text, schema.CSV{Comma: '|'}, `csv: p.csv: the header line is separated by commas; write csv: {comma: ","} in the domain file`},
		{"misspelt", "p.csv", "ID,sex,agee\n", schema.CSV{}, "csv: p.csv: the header line has no column \"id\"; did you mean \"ID\"?\ncsv: p.csv: the header line has no column \"age\"; did you mean \"agee\"?"},
		{"perhaps a record", "p.csv", "ad,six,ago\n", schema.CSV{}, "add it, or name the file's columns under csv: columns"},
		{"misspelt in the file", "p.csv", "1,F,5\n", schema.CSV{Columns: []string{"id", "sx", "age"}}, `csv: p.csv: csv: columns in the domain file has no column "sex"; did you mean "sx"?`},
		{"separator", "p.csv", text, schema.CSV{Comma: 'é'}, "csv: p.csv: cells cannot be separated by 'é'; one ASCII character is needed"},
	} {
		d := parse(t, twoColumns).Domain
		_, err := NewReader(strings.NewReader(c.content), c.file, d, c.opts)
		must.Hold(t, (c.want != "" || err == nil) && (c.want == "" || err != nil && strings.Contains(err.Error(), c.want)),
			"%s: got %v, want %q", c.name, err, c.want)
	}
}

// TestAdvice: what the first records of a file without a header line suggest is said to whoever checks it, and nothing else.
func TestAdvice(t *testing.T) {
	const text = "1,F,5\n2,M,6\n"
	columns := []string{"id", "sex", "age"}
	for _, c := range []struct {
		name, content string
		opts          schema.CSV
		want          string
	}{
		{"as declared", text, schema.CSV{}, ""},
		{"empty", "", schema.CSV{}, ""},
		{"zstd", standard(t, text), schema.CSV{}, "it is compressed by Zstandard; add .zst to its name"},
		{"ORC", "ORC\x08\x00", schema.CSV{}, "it is an ORC file; write it as Parquet or CSV"},
		{"an ID of letters", "ORC,F,5\n", schema.CSV{}, ""},
		{"JSON lines", "{\"id\": 1}\n", schema.CSV{}, "it is JSON; let its name end in .jsonl if it has one object a line, or turn it into Parquet"},
		{"zeros", string(make([]byte, 1<<20)), schema.CSV{}, "it holds bytes that no text has; name a CSV file"},
		{"a byte 0", text + "\x00,F,1\n", schema.CSV{}, ""},
		{"UTF-16", wide(strings.Repeat(text, 30), binary.BigEndian)[2:], schema.CSV{}, "it is UTF-16 without a byte order mark"},
		{"UTF-16 with its mark", wide(text, binary.LittleEndian), schema.CSV{}, "it begins with a byte order mark, which is read as a part of its first cell; write csv: {encoding: utf-16le, mark: true} in the domain file"},
		{"UTF-16 as declared", wide(text, binary.LittleEndian), schema.CSV{Encoding: schema.UTF16LE, Mark: true}, ""},
		{"UTF-16 as declared, no mark", wide(text, binary.BigEndian)[2:], schema.CSV{Encoding: schema.UTF16BE}, ""},
		{"UTF-8 mark", "\ufeff" + text, schema.CSV{}, "it begins with a byte order mark, which is read as a part of its first cell; write csv: {mark: true} in the domain file"},
		{"UTF-8 mark, declared", "\ufeff" + text, schema.CSV{Mark: true}, ""},
		{"no mark", text, schema.CSV{Mark: true}, "it begins with no byte order mark, and csv: mark: true skips its first 3 bytes; leave mark out"},
		{"CR", "1,F,5\r2,M,6\r", schema.CSV{}, "its lines end in CR alone"},
		{"bars", strings.ReplaceAll(text, ",", "|"), schema.CSV{}, `its lines are separated by bars; write csv: {comma: "|"} in the domain file`},
		{"one good line", strings.ReplaceAll(text, ",", "|") + text, schema.CSV{}, "lines with fewer or more than 3 cells: 2; the first is line 1, with 1;"},
	} {
		name := filepath.Join(t.TempDir(), "p.csv")
		must.Do(t, os.WriteFile(name, []byte(c.content), 0o600))
		c.opts.Columns = columns
		got, err := advise(t.Context(), files.Info{Name: name}, c.opts)
		must.Hold(t, err == nil && (c.want != "" || got == "") && (strings.HasPrefix(got, name) || got == "") && strings.Contains(got, c.want),
			"%s: got %q, %v; want %q", c.name, got, err, c.want)
	}
}

// TestRagged: the owner of a table is told how many of its lines have other cells than columns, where the first stands, and what
// writes cells so.
func TestRagged(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          []string // none: no advice
	}{
		{"whole", "id,s\n1,\"a,b\"\n\n2,\"c\nd\"\n", nil},
		{"one column", "id\n1\n\n2\n", nil},
		{"short and long", "id,s\n1,a\n\"2\n\",b\n3\n4,a,b\n5,a\n", []string{"than 2 cells: 2; the first is line 5, with 1; missing cells are NULL"}},
		{"a comma at each end", "id,s\n1,a,\n2,b,\n", []string{"than 2 cells: 2; the first is line 2, with 3;"}},
		{"backslashes", "id,s,t\n1,\"said \\\"yes, sir\\\"\",F\n2,Paris\\, FR,M\n", []string{"than 3 cells: 2;", `as MySQL and Spark write them; write csv: {escape: "\\"} in`}},
		{"backslashes that move no cell", "id,s\n1,\"said \\\"yes\\\", she\"\n", []string{`write csv: {escape: "\\"} in`}},
		{"paths", "id,s\n1,\"C:\\\"\n2,C:\\new\n3,\\N\n", nil},
		{"formulas", "id,s\n1,=\"001\"\n", []string{`Excel's ="001"`}},
	} {
		name := filepath.Join(t.TempDir(), "r.csv")
		must.Do(t, os.WriteFile(name, []byte(c.content), 0o600))
		got, err := advise(t.Context(), files.Info{Name: name}, schema.CSV{})
		must.Hold(t, err == nil && (len(c.want) != 0 || got == ""), "%s: got %q, %v", c.name, got, err)
		for _, want := range c.want {
			must.Hold(t, strings.Contains(got, want), "%s: got %q, want %q", c.name, got, want)
		}
	}
}

// TestSigns: what a first line means that is no line of names is named, and a declared header line is one of names.
func TestSigns(t *testing.T) {
	for _, c := range []struct{ first, want string }{
		{"sep=;", "its first line is Excel's sep=, which names the separator; remove that line, and write csv: {comma: …}"},
		{"sep=,", "its first line is Excel's sep="},
		{"id,,n,,s", "two separators stand between names"},
		{"id,n,", "the header line ends in a separator"},
		{"# exported 2024", "the first line begins with #; remove the lines before the names"},
		{"#id,n", ""},
		{",n", ""}, // pandas' row numbers
	} {
		name := filepath.Join(t.TempDir(), "s.csv")
		must.Do(t, os.WriteFile(name, []byte(c.first+"\n1,2\n"), 0o600))
		_, _, err := describe(t.Context(), files.Info{Name: name}, schema.CSV{})
		must.Hold(t, (err == nil) == (c.want == "") && (err == nil || strings.Contains(err.Error(), c.want)), "%s: %v", c.first, err)
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: "m", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1, Null: true}}}
		if err := Check(t.Context(), files.Info{Name: name}, d, schema.CSV{}); c.first == "# exported 2024" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: check says %v", c.first, err)
		}
		_, _, err = describe(t.Context(), files.Info{Name: name}, schema.CSV{Header: true})
		must.Hold(t, (err != nil) == strings.HasPrefix(c.first, "sep="), "%s, declared as a header line: %v", c.first, err)
	}
}

// TestDeclaredEncodings: a file without a header line is read in the encoding that is declared for it.
func TestDeclaredEncodings(t *testing.T) {
	const text, want = "я𝄞,F,5\n2,M,6\n", "1:я𝄞|F|5| 2:2|M|6|"
	for _, c := range []struct {
		content string
		opts    schema.CSV
	}{
		{"\ufeff" + text, schema.CSV{Mark: true}},
		{wide(text, binary.LittleEndian), schema.CSV{Encoding: schema.UTF16LE, Mark: true}},
		{wide(text, binary.LittleEndian)[2:], schema.CSV{Encoding: schema.UTF16LE}},
		{wide(text, binary.BigEndian), schema.CSV{Encoding: schema.UTF16BE, Mark: true}},
		{"xyz" + text, schema.CSV{Mark: true}}, // skipped unread
	} {
		c.opts.Columns = []string{"id", "sex", "age"}
		got, err := show(t, c.content, c.opts)
		must.Hold(t, err == nil && got == want, "%.8q, %+v: got %q, %v", c.content, c.opts, got, err)
	}
}

// TestHeaderIsARecord: a header line with names that are numbers, dates or empty is refused and not shown, unless the
// domain file says that they are names.
func TestHeaderIsARecord(t *testing.T) {
	for _, name := range []string{"500000", "-3", "1.5", "1,5", "1.234,56", "1e-3", "€ 99", "99 EUR", "12 %", "(100)", "1952-05-27", "31.12.2024", "12/31/2024",
		"2024-01-01T10:00:00Z", "31 Dec 2024", "Dec 31, 2024", "12:30", "", "0"} {
		must.Fail(t, checkNames([]string{"id", name}), "", "%q passes for a name", name)
	}
	for _, name := range []string{"age", "x1", "1st_visit", "2024_income", "2024 income", "income 2024", "ICD-10", "D66.5x", "_1", "$ paid", "μ", "?", "a b", "T0", "e5"} {
		err := checkNames([]string{"id", name})
		must.Hold(t, err == nil, "%q is no name", name)
	}
	d := parse(t, "privacy_id: none\ncolumns: [{name: \"1990\", type: STRING, values: [F], other: true}]").Domain
	_, err := NewReader(strings.NewReader("1990,S3CR3T\nF,1\n"), "p.csv", d, schema.CSV{})
	must.Hold(t, err != nil && strings.HasPrefix(err.Error(), "csv: p.csv: the header line looks like a record") && !strings.Contains(err.Error(), "S3CR3T") && !strings.Contains(err.Error(), "1990"),
		"a record for a header line: %v", err)
	for _, opts := range []schema.CSV{{Header: true}, {Columns: []string{"1990", "x"}}} {
		must.Passes(NewReader(strings.NewReader("1990,S3CR3T\nF,1\n"), "p.csv", d, opts))(t, "declared as names")
	}
	row := parse(t, "privacy_id: none\ncolumns: [{name: sex, type: STRING, values: [F], other: true}]").Domain
	must.Passes(NewReader(strings.NewReader(",sex\n1,F\n"), "p.csv", row, schema.CSV{}))(t, "row numbers, as pandas writes them")
	for _, names := range [][]string{{""}, {"", "1"}, {"", "sex", ""}, {"", "sex", "2024-01-31"}, {"sex", ""}} {
		must.Fail(t, checkNames(names), "", "%q pass for names", names)
	}
}

// TestManyNames: a header line of a million names makes no million lines of error.
func TestManyNames(t *testing.T) {
	var needed strings.Builder
	needed.WriteString("privacy_id: none\ncolumns:\n")
	for i := range 1000 {
		fmt.Fprintf(&needed, "  - {name: column %d, type: BOOL, null: true}\n", i)
	}
	d := parse(t, needed.String()).Domain
	_, err := NewReader(strings.NewReader(strings.Repeat("c,", 1_000_000)+"\n"), "p.csv", d, schema.CSV{})
	lines := strings.Split(fmt.Sprint(err), "\n")
	must.Hold(t, len(lines) == 21 && lines[20] == "and 980 more", "%d lines, the last one %q", len(lines), lines[len(lines)-1])
}
