package jsonio

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
)

// flushBytes is how much the writer collects before it writes.
const flushBytes = 1 << 16

// writer writes chunks as JSON lines.
type writer struct {
	w     io.Writer
	d     *domain.Domain
	names [][]byte // the beginning of each cell
	buf   []byte
	err   error // the first one; it stays
}

func newWriter(w io.Writer, d *domain.Domain) *writer {
	out := &writer{w: w, d: d}
	for i, name := range d.Names() {
		mark := byte(',')
		if i == 0 {
			mark = '{'
		}
		out.names = append(out.names, append(appendText([]byte{mark}, []byte(name)), ':'))
	}
	return out
}

// Write writes the rows of a chunk, which has one column for each attribute. After an error every call returns it.
func (w *writer) Write(chunk *domain.Chunk) error {
	if len(chunk.Columns) != w.d.Len() {
		panic("jsonio: Write: chunk and domain differ in size")
	}
	for row := range chunk.Rows {
		for a := range chunk.Columns {
			w.buf = append(w.buf, w.names[a]...)
			w.cell(&w.d.Attributes[a], &chunk.Columns[a], row)
		}
		if w.buf = append(w.buf, "}\n"...); len(w.buf) >= flushBytes {
			w.flush()
		}
	}
	return w.err
}

// Close writes what is left. It does not close the underlying writer.
func (w *writer) Close() error {
	w.flush()
	return w.err
}

func (w *writer) flush() {
	if w.err == nil {
		if _, err := w.w.Write(w.buf); err != nil {
			w.err = fmt.Errorf("jsonio: %w", err)
		}
	}
	w.buf = w.buf[:0]
}

// cell appends one cell.
func (w *writer) cell(a *domain.Attribute, c *domain.Column, row int) {
	if c.Form == domain.Absent || c.Null(row) {
		w.buf = append(w.buf, "null"...)
		return
	}
	var text []byte
	switch c.Form {
	case domain.Text:
		text = c.Text(row)
	case domain.Dictionary:
		text = []byte(c.Dict[c.Ints[row]])
	case domain.Floats:
		text = domain.AppendFloat(nil, c.Floats[row])
	default:
		text = a.AppendNative(nil, c.Ints[row])
	}
	switch a.Type {
	case domain.Int64, domain.Float64, domain.Numeric, domain.Bool:
		if text[0] != '"' && json.Valid(text) {
			w.buf = append(w.buf, text...)
			return
		}
	}
	w.buf = appendText(w.buf, text)
}

// appendText appends a JSON text. Bytes that are no UTF-8 are replaced, since JSON cannot hold them.
func appendText(dst, text []byte) []byte {
	plain := utf8.Valid(text)
	for _, c := range text {
		plain = plain && c >= ' ' && c != '"' && c != '\\'
	}
	if plain {
		return append(append(append(dst, '"'), text...), '"')
	}
	quoted, _ := json.Marshal(string(text)) // a text always marshals
	return append(dst, quoted...)
}
