package csvio

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// FuzzReader: no file makes the reader panic; its chunks are whole; an error holds no long piece of the
// file; and what was read and written comes back as it was.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"id,sex,age\n1,F,5\n", "\ufeffid;sex;age\n\"1\n\";; \\N\n", "age,id,sex\n1,\"2", "1, F ,?\n\n"} {
		f.Add(s, true, false, ';')
		f.Add(s, false, true, ',')
	}
	d := parse(f, twoColumns).Domain
	f.Fuzz(func(t *testing.T, text string, trim, headless bool, comma rune) {
		opts := schema.CSV{Trim: trim, Comma: comma}
		if headless {
			opts.Columns = []string{"age", "sex", "id"}
		}
		err := Each(strings.NewReader(text), "p", d, opts, func(c *domain.Chunk) error {
			must.Need(t, len(c.Lines) == c.Rows && c.Rows != 0 && c.Rows <= chunkRows, "a chunk of %d rows with %d lines", c.Rows, len(c.Lines))
			domain.NewEncoder(d).Encode(c, make([]domain.Code, 2*c.Rows))
			return again(t, d, c)
		})
		if err == nil {
			return
		}
		for i := 0; i+40 <= len(text); i += 20 {
			must.Need(t, !strings.Contains(err.Error(), text[i:i+40]), "the error holds a piece of the file")
		}
	})
}

// cellText returns a cell, or a text that marks NULL.
func cellText(c *domain.Column, i int) string {
	if c.Null(i) {
		return "NULL"
	}
	return "'" + string(c.Text(i))
}

// again writes a chunk, reads it, and compares. Line ends inside a cell are left out: "\r\n" is read as
// "\n".
func again(t *testing.T, d *domain.Domain, c *domain.Chunk) error {
	var b strings.Builder
	w, err := NewWriter(&b, d, "")
	if err != nil {
		return err
	}
	if err := w.Write(c); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	plain := *d
	plain.PrivacyID = ""
	row := 0
	err = Each(strings.NewReader(b.String()), "q", &plain, schema.CSV{}, func(back *domain.Chunk) error {
		for i := range back.Rows {
			for a := range back.Columns {
				got, want := cellText(&back.Columns[a], i), cellText(&c.Columns[a], row)
				must.Need(t, got == want || strings.Contains(want, "\r"), "wrote %q, read %q", want, got)
			}
			row++
		}
		return nil
	})
	must.Need(t, row == c.Rows || err != nil, "wrote %d rows, read %d", c.Rows, row)
	return err
}

// FuzzBlankLines: a file of one column is read as if its blank lines held a quoted empty cell.
func FuzzBlankLines(f *testing.F) {
	for _, s := range []string{"F\n\nM\n", "\n\n\"a\n\nb\"\r\n\r\n", "F\n\r", "\"\"\n\"", "\ufeff\n \n"} {
		f.Add(s)
	}
	d := parse(f, "privacy_id: none\ncolumns:\n  - {name: sex, type: STRING, values: [F, M], null: true}\n").Domain
	read := func(text string) (rows []string, err error) {
		err = Each(strings.NewReader(text), "p", d, schema.CSV{Columns: []string{"sex"}}, func(c *domain.Chunk) error {
			for i := range c.Rows {
				rows = append(rows, fmt.Sprint(c.Lines[i], cellText(&c.Columns[0], i)))
			}
			return nil
		})
		return rows, err
	}
	f.Fuzz(func(t *testing.T, text string) {
		standard := csv.NewReader(strings.NewReader(text))
		standard.FieldsPerRecord = -1
		if _, err := standard.ReadAll(); err != nil {
			return // quoteBlanks knows quotes of well-formed files only
		}
		rows, err := read(text)
		same, sameErr := read(quoteBlanks(text))
		must.Hold(t, (err == nil) == (sameErr == nil) && (err != nil || slices.Equal(rows, same)), "read %q, %v; want %q, %v", rows, err, same, sameErr)
	})
}

// quoteBlanks puts a quoted empty cell into each blank line that is not inside quotes.
func quoteBlanks(text string) string {
	var b strings.Builder
	quoted := false
	for line := range strings.Lines(text) {
		if !quoted && strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") == "" {
			b.WriteString(`""`)
		}
		b.WriteString(line)
		quoted = quoted != (strings.Count(line, `"`)%2 == 1)
	}
	return b.String()
}

// FuzzAgainstStandard: what encoding/csv takes for well formed is read as it reads it. The differences are
// ours: "\r\n" inside quotes stays, and a blank line is a record in a file of one column.
func FuzzAgainstStandard(f *testing.F) {
	for _, s := range []string{"a,b\nc,d\n", "\"a\"\"b\",\"\n\"\r\n\r\nx", "a, \"b\" ,c\r", "\"\"", "é;\u00a0\"x\"", "\"a\"\r", "a\r\r\n,"} {
		f.Add(s, false, uint8(0))
		f.Add(s, true, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, trim bool, separator uint8) {
		comma := ",;\t| "[separator%5]
		std := csv.NewReader(strings.NewReader(text))
		std.Comma, std.FieldsPerRecord, std.TrimLeadingSpace = rune(comma), -1, trim && comma != '\t' && comma != ' '
		want, err := std.ReadAll()
		if err != nil {
			return // not well formed
		}
		s := newScanner(&pieces{[]byte(text), 1 + len(text)/3}, comma, 1<<20)
		s.layout = std.TrimLeadingSpace
		for i := 0; s.record(); i++ {
			must.Need(t, i != len(want), "more than the %d records of the standard", i)
			var cells []string
			for more := true; more; {
				more = s.next(theText)
				cell := string(s.text)
				if s.layout && !bytes.HasPrefix(bytes.TrimSpace(s.raw), []byte{'"'}) {
					cell = strings.TrimLeftFunc(cell, unicode.IsSpace)
				}
				cells = append(cells, strings.ReplaceAll(cell, "\r\n", "\n"))
			}
			must.Need(t, slices.Equal(cells, want[i]), "record %d: read %q, the standard %q", i, cells, want[i])
			want[i] = nil
		}
		must.Need(t, s.err == nil && (len(want) <= 0 || want[len(want)-1] == nil), "fewer records than the standard, %v", s.err)
	})
}
