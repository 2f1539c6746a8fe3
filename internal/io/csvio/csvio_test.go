package csvio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func parse(t testing.TB, text string) *schema.File {
	t.Helper()
	f := must.Value(schema.Parse("domain.yaml", []byte(text)))(t)
	return f
}

const twoColumns = `
privacy_id: id
columns:
  - {name: sex, type: STRING, values: [F, M, "a b", 'x"y', "1\n2"], other: true, null: true}
  - {name: age, type: INT64, min: 0, max: 9, null: true}
`

// show returns the records of a text with two columns.
func show(t *testing.T, text string, opts schema.CSV) (string, error) {
	t.Helper()
	return records(strings.NewReader(text), "p.csv", parse(t, twoColumns).Domain, opts)
}

// records returns records as texts: the line, the ID if there is one, and the cells, NULL as -.
func records(r io.Reader, name string, d *domain.Domain, opts schema.CSV) (string, error) {
	var out []string
	err := Each(r, name, d, opts, func(c *domain.Chunk) error {
		for i := range c.Rows {
			row := fmt.Sprintf("%d:", c.Lines[i])
			if d.PrivacyID != "" {
				row += shown(&c.ID, i)
			}
			for k := range c.Columns {
				row += shown(&c.Columns[k], i)
			}
			out = append(out, row)
		}
		return nil
	})
	return strings.Join(out, " "), err
}

func shown(c *domain.Column, i int) string {
	if c.Null(i) {
		return "-|"
	}
	return string(c.Text(i)) + "|"
}

// TestReader has one row per rule of reading.
func TestReader(t *testing.T) {
	tests := []struct {
		name, text string
		opts       schema.CSV
		want       string
	}{
		{"plain", "id,sex,age\n1,F,5\n2,M,6\n", schema.CSV{}, "2:1|F|5| 3:2|M|6|"},
		{"no final line end", "id,sex,age\n1,F,5", schema.CSV{}, "2:1|F|5|"},
		{"windows", "id,sex,age\r\n1,F,5\r\n", schema.CSV{}, "2:1|F|5|"},
		{"byte order mark", "\ufeffid,sex,age\n1,F,5\n", schema.CSV{}, "2:1|F|5|"},
		{"other order, more columns", "z,age,sex,z,id\na,5,F,b,1\n", schema.CSV{}, "2:1|F|5|"},
		{"null", "id,sex,age\n,\"\",\\N\n\"\\N\",?,NULL\n", schema.CSV{}, "2:-|-|-| 3:-|?|NULL|"},
		{"null marks", "id,sex,age\n1,?,NA\n2,F,5\n", schema.CSV{Null: []string{"?", "NA"}}, "2:1|-|-| 3:2|F|5|"},
		{"no trim", "id,sex,age\n1, F,5 \n", schema.CSV{}, "2:1| F|5 |"},
		{"trim", " id, sex ,age\n1, \"a b\",5 \n2, ?, \n", schema.CSV{Trim: true, Null: []string{"?"}}, "2:1|a b|5| 3:2|-|-|"},
		{"trim with tabs", "id\tsex\tage\n1\t F\t\n", schema.CSV{Trim: true, Comma: '\t'}, "2:1|F|-|"},
		{"comma", "id;sex;age\n1;F,M;5\n", schema.CSV{Comma: ';'}, "2:1|F,M|5|"},
		{"no header", "1,x,F,5\n2,x,M,6\n\n", schema.CSV{Columns: []string{"id", "x", "sex", "age"}}, "1:1|F|5| 2:2|M|6|"},
		{"quotes and lines", "id,sex,age\n1,\"x\"\"y\",5\n\n2,\"1\n2\",6\n3,\"a,b\",7\n", schema.CSV{}, "2:1|x\"y|5| 4:2|1\n2|6| 6:3|a,b|7|"},
		{"not UTF-8", "id,sex,age\n1,\xff,5\n", schema.CSV{}, "2:1|\xff|5|"},
		{"header alone", "id,sex,age\n", schema.CSV{}, ""},
	}
	for _, test := range tests {
		got, err := show(t, test.text, test.opts)
		must.Hold(t, err == nil && got == test.want, "%s: got %q, %v; want %q", test.name, got, err, test.want)
	}
}

// TestBlankLines: in a file of one column a blank line is a record, so that no record is dropped for being
// NULL; in others it is none.
func TestBlankLines(t *testing.T) {
	one := parse(t, "privacy_id: none\ncolumns:\n  - {name: sex, type: STRING, values: [F, M], null: true}\n").Domain
	headless := schema.CSV{Columns: []string{"sex"}}
	tests := []struct {
		name, text string
		opts       schema.CSV
		want       string
	}{
		{"between", "sex\nF\n\n\nM\n", schema.CSV{}, "2:F 3:- 4:- 5:M"},
		{"as in quotes", "sex\nF\n\"\"\n\\N\nM\n", schema.CSV{}, "2:F 3:- 4:- 5:M"},
		{"first and last", "sex\n\nF\n\n", schema.CSV{}, "2:- 3:F 4:-"},
		{"last, no line end", "sex\n\nF", schema.CSV{}, "2:- 3:F"},
		{"alone", "sex\n\n\n", schema.CSV{}, "2:- 3:-"},
		{"none", "sex\n", schema.CSV{}, ""},
		{"before the header", "\n\nsex\n\nF\n", schema.CSV{}, "4:- 5:F"},
		{"no header", "\nF\n\n", headless, "1:- 2:F 3:-"},
		{"empty file", "", headless, ""},
		{"windows", "\ufeffsex\r\nF\r\n\r\nM\r\n\r\n", schema.CSV{}, "2:F 3:- 4:M 5:-"},
		{"lines in quotes", "\"sex\"\n\"a\n\nb\"\n\n\"c\r\n\r\nd\"\r\n\r\nF\n", schema.CSV{}, "2:a\n\nb 5:- 6:c\r\n\r\nd 9:- 10:F"},
		{"blanks", "sex\n F\n  \n\nM\n", schema.CSV{Trim: true}, "2:F 3:- 4:- 5:M"},
	}
	for _, test := range tests {
		got, err := records(strings.NewReader(test.text), "p", one, test.opts)
		got = strings.ReplaceAll(got, "|", "")
		must.Hold(t, err == nil && got == test.want, "%s: got %q, %v; want %q", test.name, got, err, test.want)
	}
}

// TestManyBlankLines: blank lines fill chunks as other records do.
func TestManyBlankLines(t *testing.T) {
	one := parse(t, "privacy_id: none\ncolumns:\n  - {name: sex, type: STRING, values: [F, M], null: true}\n").Domain
	rows, chunks := 0, 0
	text := "sex\nF\n" + strings.Repeat("\n", 2*chunkRows) + "M\n" + strings.Repeat("\n", chunkRows)
	err := Each(strings.NewReader(text), "p", one, schema.CSV{}, func(c *domain.Chunk) error {
		rows += c.Rows
		chunks++
		return nil
	})
	must.Hold(t, err == nil && rows == 3*chunkRows+2 && chunks == 4, "%d records in %d chunks, %v; want %d in 4", rows, chunks, err, 3*chunkRows+2)
}

// TestReaderErrors: what structural faults say, and that no cell is in it.
func TestReaderErrors(t *testing.T) {
	const secret = "S3CR3T"
	headless := schema.CSV{Columns: []string{"id", "sex", "age"}}
	strict, strictly := schema.CSV{Strict: true}, schema.CSV{Columns: headless.Columns, Strict: true}
	tests := []struct {
		name, text string
		opts       schema.CSV
		want       string
	}{
		{"ragged", "id,sex,age\n1,F,5\n" + secret + ",F\n", strict, "csv: p.csv: line 3: 2 cells, and the header line has 3"},
		{"too long", secret + ",F,5,6\n", strictly, "csv: p.csv: line 1: 4 cells, and csv: columns in the domain file has 3"},
		{"bare quote", "id,sex,age\n1,F" + secret + "\"F,5\n", strict, "csv: p.csv: line 2: a quote is inside a cell without quotes, or text follows a quoted cell; put the cell in quotes and double the quotes in it"},
		{"text after quote", "id,sex,age\n1,\"" + secret + "\"F,5\n", strict, "csv: p.csv: line 2: a quote is inside a cell without quotes, or text follows a quoted cell; put the cell in quotes and double the quotes in it"},
		{"long cell", "id,sex,age\n1,F,5\n1," + secret + strings.Repeat("x", 5<<20) + "F,5\n", strict, "csv: p.csv: line 3: its cells are longer than 4 MiB together; raise max_record_mib under csv: in the domain file"},
		{"open quote", "id,sex,age\n1,\"" + secret + ",5\n2,M,6\n", schema.CSV{}, "csv: p.csv: a quote opens a cell and never closes; write a quote inside a quoted cell twice, and close the cell (a strict run says on which line)"},
		{"open quote, strict", "id,sex,age\n1,\"" + secret + ",5\n2,M,6\n", strict, "csv: p.csv: the record that begins on line 2: a quote opens a cell and never closes; write a quote inside a quoted cell twice, and close the cell"},
		{"open quote in the header", "id,sex,\"age\n1,F,5\n", schema.CSV{}, "csv: p.csv: the header line: a quote opens a cell and never closes"},
		{"missing columns", "id,SEX," + secret + "\n", schema.CSV{}, "csv: p.csv: the header line has no column \"sex\"; did you mean \"SEX\"?\n" +
			"csv: p.csv: the header line has no column \"age\"; add it, or name the file's columns under csv: columns in the domain file if it has no such line"},
		{"columns not named", secret + "\n", schema.CSV{Columns: []string{"id", "sex"}}, "csv: p.csv: csv: columns in the domain file has no column \"age\"; name all columns of the file there, in their order"},
		{"two columns", "id,sex,age,sex\n", schema.CSV{}, "csv: p.csv: columns 2 and 4 are both called \"sex\"; rename one"},
		{"empty", "", schema.CSV{}, "csv: p.csv: the file is empty; a header line is needed, or csv: columns in the domain file"},
	}
	for _, test := range tests {
		_, err := show(t, test.text, test.opts)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, test.want)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: a cell is in the error", test.name)
		}
	}
	broken := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader("id,sex,age\n1,F,5\n"), iotest.ErrReader(broken))
	err := Each(r, "p.csv", parse(t, twoColumns).Domain, schema.CSV{}, func(*domain.Chunk) error { return nil })
	must.Hold(t, errors.Is(err, broken), "a read error comes out as %v", err)
}

// TestStrict: a chunk tells where an unreadable cell is.
func TestStrict(t *testing.T) {
	d := parse(t, twoColumns).Domain
	err := Each(strings.NewReader("id,sex,age\n1,F,5\n2,M,S3CR3T\n"), "p.csv", d, schema.CSV{}, func(c *domain.Chunk) error {
		row, a, ok := domain.NewEncoder(d).EncodeStrict(c, make([]domain.Code, 2*c.Rows))
		if ok {
			return nil
		}
		return fmt.Errorf("%s line %d: %s", c.Source, c.Lines[row], d.Attributes[a].Name)
	})
	want := `csv: p.csv line 3: age`
	must.Hold(t, err != nil && err.Error() == want, "got %v, want %s", err, want)
}

// TestChunks: records keep their order over chunk borders, in new chunks and in one used again, and
// NULLs stand where they were.
func TestChunks(t *testing.T) {
	d := parse(t, twoColumns).Domain
	for _, rows := range []int{0, 1, chunkRows - 1, chunkRows, chunkRows + 1, 3*chunkRows + 7} {
		var b strings.Builder
		b.WriteString("id,sex,age\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%s,5\n", i, map[bool]string{true: "", false: "F"}[i%5000 == 3])
		}
		r, err := NewReader(strings.NewReader(b.String()), "p.csv", d, schema.CSV{})
		must.Do(t, err)
		var c domain.Chunk
		n := 0
		for err = r.Read(&c); err == nil; err = r.Read(&c) {
			for i := range c.Rows {
				must.Need(t, string(c.ID.Text(i)) == fmt.Sprint(n) && c.Lines[i] == n+2 && c.Columns[0].Null(i) == (n%5000 == 3),
					"%d rows: row %d of a chunk of %d is not record %d", rows, i, c.Rows, n)
				n++
			}
			must.Hold(t, c.Columns[1].Nulls == nil, "Nulls of a column without any is not nil")
		}
		must.Hold(t, n == rows && errors.Is(err, io.EOF), "read %d of %d rows, then %v", n, rows, err)
	}
}

// TestLongCells: a chunk ends early instead of growing with its cells.
func TestLongCells(t *testing.T) {
	record := "1," + strings.Repeat("x", 10<<20) + ",5\n"
	chunks := 0
	err := Each(strings.NewReader("id,sex,age\n"+record+record), "p.csv", parse(t, twoColumns).Domain, schema.CSV{MaxRecord: 16 << 20}, func(c *domain.Chunk) error {
		chunks++
		return nil
	})
	must.Hold(t, chunks == 2 && err == nil, "%d chunks, %v", chunks, err)
}

const allTypes = `
privacy_id: none
columns:
  - {name: 'sex, or "x"', type: STRING, values: [Female, 'a,b', 'say "x"', "two\nlines", "cr\rcr", " blank ", é, "#", "0"], other: true, null: true}
  - {name: code, type: INT64, values: [7, -3, 0], other: true, other_value: -1, null: true}
  - {name: age, type: INT64, min: -9223372036854775808, max: 9223372036854775807, bins: 7, null: true}
  - {name: rate, type: FLOAT64, min: -9.0e99, max: 9.0e99, bins: 9, null: true}
  - {name: share, type: FLOAT64, min: 0, max: 1, bins: 10, resolution: 0.05, fallback: 0}
  - {name: income, type: NUMERIC, min: -3.000000001, max: 9, bins: 11, resolution: 0.000000001, null: true}
  - {name: cents, type: NUMERIC, min: 0, max: 100, bins: 4, null: true}
  - {name: married, type: BOOL, null: true}
  - {name: visited, type: DATE, min: 0001-01-01, max: 9999-12-31, step: year, null: true}
  - {name: seen, type: DATETIME, min: "1969-12-30", max: "1970-01-02 03:04:05.6", step: hour, resolution: microsecond, null: true}
  - {name: stamp, type: TIMESTAMP, min: "1582-10-15", max: "2100-01-01", bins: 50, null: true}
  - {name: clock, type: TIME, min: "00:00", max: "23:59:59.999999", step: minute, fallback: "12:00"}
`

// TestRoundTrip: decoded rows of every type, written, read and encoded, have the same codes, also from
// the raw chunk written once more.
func TestRoundTrip(t *testing.T) {
	d := parse(t, allTypes).Domain
	const rows = 10_000
	rng := rand.New(rand.NewPCG(3, 4))
	codes := make([]domain.Code, rows*d.Len())
	for i := range codes {
		codes[i] = domain.Code(rng.IntN(d.Attributes[i%d.Len()].Size()))
	}
	var chunk domain.Chunk
	domain.NewDecoder(d).Decode(&chunk, codes, func(int, int) uint64 { return rng.Uint64() })
	chunks := []*domain.Chunk{&chunk}
	for pass := range 2 {
		var file bytes.Buffer
		w, err := NewWriter(&file, d, "")
		must.Do(t, err)
		for _, c := range chunks {
			err = errors.Join(err, w.Write(c))
		}
		must.Do(t, errors.Join(err, w.Close()))
		chunks = nil
		var got []domain.Code
		err = Each(&file, "p.csv", d, schema.CSV{}, func(c *domain.Chunk) error {
			chunks = append(chunks, c)
			dst := make([]domain.Code, c.Rows*d.Len())
			row, a, ok := domain.NewEncoder(d).EncodeStrict(c, dst)
			must.Hold(t, ok, "line %d, %s: a written cell is not readable", c.Lines[row], d.Attributes[a].Name)
			got = append(got, dst...)
			return nil
		})
		must.Need(t, err == nil && slices.Equal(got, codes), "pass %d: codes differ, or %v", pass, err)
	}
}

// TestWriter shows the canonical text of every type.
func TestWriter(t *testing.T) {
	d := parse(t, allTypes).Domain
	codes := make([]domain.Code, 2*d.Len())
	for i := range d.Len() {
		codes[d.Len()+i] = domain.Code(d.Attributes[i].Size() - 1)
	}
	codes[1*d.Len()+1] = 3
	var chunk domain.Chunk
	domain.NewDecoder(d).Decode(&chunk, codes, func(int, int) uint64 { return 1 << 62 })
	written := func(null string) string {
		var b strings.Builder
		w := must.Value(NewWriter(&b, d, null))(t)
		must.Do(t, errors.Join(w.Write(&chunk), w.Close()))
		return b.String()
	}
	const want = `"sex, or ""x""",code,age,rate,share,income,cents,married,visited,seen,stamp,clock
Female,7,-8564559748508006108,-8.5e+99,0,-2.727272729,6.25,false,0001-04-02,1969-12-30T00:15:00,1585-05-16T13:04:48Z,00:00:15
NULL,-1,NULL,NULL,0.9,NULL,NULL,NULL,NULL,NULL,NULL,23:59:15
`
	must.Equal(t, written("NULL"), want)
	must.Equal(t, written(""), strings.ReplaceAll(want, "NULL", ""), "NULL as an empty cell")
}

// In a file of one column an empty line would be no record to most readers.
func TestNullOfOneColumn(t *testing.T) {
	d := parse(t, `privacy_id: none
columns: [{name: x, type: INT64, values: [1, 2], null: true}]`).Domain
	var b strings.Builder
	w, err := NewWriter(&b, d, "")
	must.Do(t, err)
	err = errors.Join(w.Write(&domain.Chunk{Rows: 2, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{1, 0}, Nulls: []bool{false, true}}}}), w.Close())
	must.Hold(t, err == nil && b.String() == "x\n1\n\"\"\n", "%q, %v", b.String(), err)
}

// TestWriterRefuses: categories that would read back as something else.
func TestWriterRefuses(t *testing.T) {
	d := parse(t, `privacy_id: none
columns: [{name: x, type: STRING, values: ["", '\N', "a\r\nb", c], null: true}]`).Domain
	_, err := NewWriter(io.Discard, d, "")
	must.Hold(t, err != nil && strings.Count(err.Error(), "CSV cannot hold") == 3, "got %v, want three faults", err)
	err = CheckOutput(d, "c")
	must.Hold(t, err != nil && strings.Count(err.Error(), "CSV cannot hold") == 4, "got %v, want four faults", err)
	must.Fail(t, CheckOutput(d, "a,b"), `NULL as "a,b"`, "a mark that needs quotes")
}

// TestAppendCell: quotes where they are needed, and only there.
func TestAppendCell(t *testing.T) {
	for cell, want := range map[string]string{
		"": `""`, "a": "a", "a b": "a b", "é": "é", "-1.5": "-1.5", "a;b": "a;b", "a,b": `"a,b"`, `"`: `""""`,
		" a": `" a"`, "a\t": "\"a\t\"", "a\nb": "\"a\nb\"", "a\r": "\"a\r\"", "a\rb": "\"a\rb\"",
	} {
		must.Equal(t, string(appendCell(nil, cell)), want, "%q is written as", cell)
	}
}

// failing takes n bytes, fails once, and takes everything after.
type failing struct {
	n      int
	failed bool
}

func (f *failing) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 && !f.failed {
		f.failed = true
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

// TestWriterError: a failure is reported, whenever it comes, and is not forgotten.
func TestWriterError(t *testing.T) {
	d := parse(t, `privacy_id: none
columns: [{name: x, type: BOOL, null: true}]`).Domain
	chunk := &domain.Chunk{Rows: 40_000, Columns: []domain.Column{{Form: domain.Ints, Ints: make([]int64, 40_000)}}}
	for _, room := range []int{0, 1 << 16, 3 << 16} {
		w := must.Value(NewWriter(&failing{n: room}, d, ""))(t)
		first := w.Write(chunk)
		must.Fail(t, w.Close(), "", "room for %d bytes: Write gave %v, Close nothing", room, first)
	}
}
