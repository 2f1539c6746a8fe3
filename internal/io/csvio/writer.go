package csvio

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// flushBytes is how much the writer collects before it writes.
const flushBytes = 1 << 16

// Writer writes chunks as CSV: a header line, commas, "\n" line ends, NULL as an empty cell or another mark,
// every value in its canonical text (domain.Attribute.AppendNative). Cells are quoted only if they have to be.
type Writer struct {
	w    io.Writer
	d    *domain.Domain
	null string
	buf  []byte
	err  error // the first one; it stays
}

// CheckOutput refuses what CSV cannot hold: a mark of NULL that would need quotes, and categories that would be read
// as another value or as NULL, which are the empty text, \N, the mark, and what holds "\r\n".
func CheckOutput(d *domain.Domain, null string) error {
	var errs []error
	if cell := appendCell(nil, null); null != "" && string(cell) != null {
		errs = append(errs, fmt.Errorf("csv: NULL as %q: want a text without commas, quotes, line ends and blanks at its ends", null))
	}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		texts := a.Values
		if a.Other {
			texts = append(slices.Clip(texts), a.OtherValue)
		}
		for _, s := range texts {
			if s == "" || s == nullText || s == null || strings.Contains(s, "\r\n") {
				errs = append(errs, fmt.Errorf("csv: column %q: CSV cannot hold the value %q; write Parquet, or change the value", a.Name, s))
			}
		}
	}
	return errors.Join(errs...)
}

// NewWriter returns a writer of rows of d, with the given mark for NULL; empty: an empty cell. What CheckOutput
// refuses is an error.
func NewWriter(w io.Writer, d *domain.Domain, null string) (*Writer, error) {
	if err := CheckOutput(d, null); err != nil {
		return nil, err
	}
	out := &Writer{w: w, d: d, null: null}
	if null == "" && d.Len() == 1 {
		out.null = `""` // most readers skip an empty line
	}
	for i := range d.Attributes {
		out.separate(i)
		out.buf = appendCell(out.buf, d.Attributes[i].Name)
	}
	out.buf = append(out.buf, '\n')
	return out, nil
}

// Write writes the rows of a chunk. It panics if the chunk has not one column for each attribute. After
// an error every call returns it.
func (w *Writer) Write(chunk *domain.Chunk) error {
	if len(chunk.Columns) != w.d.Len() {
		panic("csvio: Write: chunk and domain differ in size")
	}
	for row := range chunk.Rows {
		for a := range chunk.Columns {
			w.separate(a)
			w.cell(&w.d.Attributes[a], &chunk.Columns[a], row)
		}
		w.buf = append(w.buf, '\n')
		if len(w.buf) >= flushBytes {
			w.flush()
		}
	}
	return w.err
}

// Close writes what is left. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.flush()
	return w.err
}

func (w *Writer) flush() {
	if w.err == nil {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

func (w *Writer) separate(a int) {
	if a > 0 {
		w.buf = append(w.buf, ',')
	}
}

// cell appends one cell.
func (w *Writer) cell(a *domain.Attribute, c *domain.Column, row int) {
	if c.Form == domain.Absent || c.Null(row) {
		w.buf = append(w.buf, w.null...)
		return
	}
	switch c.Form {
	case domain.Text:
		w.buf = appendCell(w.buf, string(c.Text(row)))
	case domain.Dictionary:
		w.buf = appendCell(w.buf, c.Dict[c.Ints[row]])
	case domain.Floats:
		w.buf = domain.AppendFloat(w.buf, c.Floats[row])
	case domain.Ints:
		w.buf = a.AppendNative(w.buf, c.Ints[row])
	}
}

// appendCell appends a text, in quotes if it contains special characters, or blanks at its ends, which some readers
// drop.
func appendCell(dst []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
