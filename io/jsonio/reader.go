package jsonio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/packed"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// reader reads the records of a file, or of a part of it.
type reader struct {
	in       *lines.Reader
	d        *domain.Domain
	name     string
	form     schema.CSV
	numbered bool // numbers of lines count the file's lines

	fields []string       // of the privacy ID, "" without one, then of each attribute
	at     map[string]int // the inverse
	cells  [][]byte       // of one record, as they are written; nil: absent
	text   []byte         // memory of a text with escapes
	latest []int          // of each field, if it is a calendar's: the last year
}

func newReader(in *lines.Reader, name string, d *domain.Domain, form schema.CSV) *reader {
	r := &reader{in: in, d: d, name: name, form: form, fields: append([]string{d.PrivacyID}, d.Names()...), at: map[string]int{}}
	for i, field := range r.fields {
		if i > 0 || field != "" {
			r.at[field] = i
		}
	}
	r.cells, r.latest = make([][]byte, len(r.fields)), make([]int, len(r.fields))
	for i := range d.Attributes {
		if a := &d.Attributes[i]; len(a.Cuts) > 0 && a.Type.Facts().Calendar {
			r.latest[i+1] = a.Type.Time(a.Cuts[len(a.Cuts)-1]).Year()
		}
	}
	return r
}

// read fills a new chunk with the next records, in columns of Form Text. At the end it returns io.EOF.
func (r *reader) read(chunk *domain.Chunk) error {
	texts := table.NewTexts(chunk, r.d, "jsonio: "+r.name)
	for !texts.Full() {
		line, err := next(r.in)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("jsonio: %s: %w", r.name, err)
		}
		if !r.record(line) && r.form.Strict {
			return fmt.Errorf("jsonio: %s: %sno JSON object of one line and %d MiB at most", r.name, r.line(), lines.Most>>20)
		}
		for i := range r.fields {
			text, null := r.cell(i)
			texts.Put(i, text, null)
		}
		texts.Add(len(line))
		if r.numbered {
			chunk.Lines = append(chunk.Lines, r.in.Number)
		}
	}
	if chunk.Rows == 0 {
		return io.EOF
	}
	return nil
}

// line says where the last record is, as far as that is known.
func (r *reader) line() string {
	if r.numbered {
		return fmt.Sprintf("line %d: ", r.in.Number)
	}
	return ""
}

// record finds the cells of a record, and reports whether it is well formed.
func (r *reader) record(line []byte) bool {
	clear(r.cells)
	if r.in.Long || !json.Valid(line) {
		return false
	}
	next := 0 // fields nearly always come in one order
	return eachField(line, func(name, value []byte) {
		if next++; next < len(r.fields) && r.fields[next] == string(name) {
			r.cells[next] = value
		} else if i, needed := r.at[string(name)]; needed {
			r.cells[i], next = value, i
		}
	})
}

// cell returns the text of a cell. What a domain file says of the cells of text applies to texts.
func (r *reader) cell(field int) (text []byte, null bool) {
	text = r.cells[field]
	switch {
	case len(text) == 0 || text[0] == 'n':
		return nil, true
	case text[0] != '"':
		return text, false
	}
	if text = text[1 : len(text)-1]; slices.Contains(text, '\\') {
		r.text = unescape(r.text[:0], text)
		text = r.text
	}
	trim, marks := r.form.Trim, r.form.Null
	if field == 0 {
		trim, marks = r.form.TrimID, r.form.NullID
	}
	if trim {
		text = bytes.TrimSpace(text)
	}
	if slices.Contains(marks, string(text)) {
		return nil, true
	}
	if w := r.form.Written[r.fields[field]]; w != "" && field > 0 {
		if plain, ok := w.Canonical(nil, text, r.latest[field]); ok {
			return plain, false
		}
	}
	return text, false
}

// begin returns the lines of a whole file. It looks at no record: one that is odd decides nothing for the others.
func begin(src io.Reader, name string) (*lines.Reader, error) {
	plain, err := packed.Open("json", src, name)
	if err != nil {
		return nil, err //nolint:wrapcheck // names format and file
	}
	return lines.New(plain), nil
}

// next returns the next line that is not blank, without a byte order mark before it, valid until the next call; io.EOF at
// the end. Every line may have a mark: taken off the first line alone, it would tell the first record from the others.
func next(l *lines.Reader) ([]byte, error) {
	for {
		line, err := l.Next()
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		if err != nil || l.Long || len(bytes.TrimSpace(line)) > 0 {
			return line, err //nolint:wrapcheck // io.EOF is the end
		}
	}
}
