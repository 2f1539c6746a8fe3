package fields

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Raw checks that records as they are read can be written to structs of type t, their privacy ID among
// them, and lists all columns that cannot. The field of the ID has to be text: a number holds neither "007" nor
// that there is none, and what a record holds must not decide whether a run goes on.
func Raw(t reflect.Type, d *domain.Domain) (*Map, error) {
	m, err := Output(t, d)
	if m == nil || d.PrivacyID == "" {
		return m, err
	}
	errs := []error{err, m.matchID(d.PrivacyID)}
	if m.id != nil {
		if f := m.structType.FieldByIndex(m.id); errs[1] == nil && base(f.Type).Kind() != reflect.String {
			errs[1] = fmt.Errorf("privacy ID %q: field %s is a %v, which does not hold every ID, such as 007 or none; make it a string", d.PrivacyID, f.Name, f.Type)
		}
	}
	return m, errors.Join(errs...)
}

// RawWriter makes structs of raw chunks, of which a cell can hold anything. It is not safe for
// concurrent use.
type RawWriter struct {
	Strict bool // Take fails on a cell that its column cannot use

	w     *Writer
	cells *Columns
	chunk domain.Chunk
	ids   *domain.Column
	idAt  []int
}

// NewRawWriter returns a writer of structs of a map that Raw has made for d.
func (m *Map) NewRawWriter(d *domain.Domain) *RawWriter {
	w := &RawWriter{w: m.NewWriter(d), cells: newColumns(d), idAt: m.id}
	for a, index := range m.attrs {
		r := &w.cells.attrs[a]
		t := base(m.structType.FieldByIndex(index).Type)
		if t.Kind() == reflect.String {
			r.form = domain.Text // as it stands, even if the column is of numbers
		}
		lo, hi := limits(t)
		r.lo, r.hi = max(r.lo, lo), min(r.hi, hi)
	}
	return w
}

// limits returns the ends of the whole numbers that a field tells apart. FLOAT64 columns are only held
// by float64, and come as floats.
func limits(t reflect.Type) (lo, hi int64) {
	switch k := t.Kind(); {
	case t == ratType:
	case isInt(k):
		return math.MinInt64 >> (64 - t.Bits()), math.MaxInt64 >> (64 - t.Bits())
	case isUint(k):
		return 0, int64(uint64(math.MaxUint64) >> (64 - t.Bits()) & math.MaxInt64)
	case k == reflect.Float32:
		return -1 << 24, 1 << 24
	case k == reflect.Float64:
		return -maxDigits, maxDigits
	}
	return math.MinInt64, math.MaxInt64
}

// errNoID: sources read the ID if the domain names one.
var errNoID = errors.New("the domain names a privacy ID, and the source delivers none")

// Take turns to the records of c, which stay in use until the next call.
func (w *RawWriter) Take(c *domain.Chunk) error {
	if len(c.Columns) != len(w.cells.attrs) {
		return errors.New("the chunk has other columns than the domain")
	}
	if w.idAt != nil && c.Rows > 0 && c.ID.Form == domain.Absent {
		return errNoID
	}
	w.cells.reset(true)
	shared := make([]bool, len(c.Columns))
	for a := range c.Columns {
		if shared[a] = w.shares(a, &c.Columns[a]); shared[a] {
			continue
		}
		for row := range c.Rows {
			if ok := w.cells.fromCell(a, &c.Columns[a], row); !ok && w.Strict {
				return c.Unreadable(w.cells.attrs[a].attr, row)
			}
		}
	}
	w.chunk, w.ids = domain.Chunk{Rows: c.Rows, Columns: w.cells.columns()}, &c.ID
	for a := range c.Columns {
		if shared[a] {
			w.chunk.Columns[a] = c.Columns[a]
		}
	}
	return nil
}

// shares reports whether texts can be read where they are: many records may share a long one.
func (w *RawWriter) shares(a int, col *domain.Column) bool {
	r := &w.cells.attrs[a]
	return r.form == domain.Text && !w.Strict && (col.Form == domain.Text || col.Form == domain.Dictionary) &&
		(col.Nulls == nil || r.attr.Null)
}

// Write returns a record of the chunk that Take has turned to.
func (w *RawWriter) Write(row int) reflect.Value {
	record := w.w.Write(&w.chunk, row)
	if w.idAt != nil {
		writeID(record, w.idAt, w.ids, row)
	}
	return record
}

// writeID sets the privacy ID, which every text holds as it stands: two IDs never become one. No ID (NULL, an
// empty text, and NaN, as private.Encode has it) is nil or an empty text.
func writeID(record reflect.Value, index []int, ids *domain.Column, row int) {
	field, text := record.FieldByIndex(index), ""
	switch {
	case ids.Null(row), ids.Form == domain.Floats && math.IsNaN(ids.Floats[row]):
	case ids.Form == domain.Floats && ids.Floats[row] == 0:
		text = "0" // also of −0
	default:
		text = textOf(&domain.Attribute{Type: domain.String}, ids, row)
	}
	if field.Kind() == reflect.Pointer {
		if text == "" {
			return
		}
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.SetString(text)
}

// RawReader collects structs as columns of their values. It is not safe for concurrent use.
type RawReader struct {
	r     *Reader
	cells *Columns
	codes []domain.Code
	id    []byte
	ids   domain.Column
	rows  int
}

// NewRawReader returns a reader of structs of a map that Input has made for d.
func (m *Map) NewRawReader(d *domain.Domain) *RawReader {
	r := &RawReader{cells: newColumns(d)}
	r.r = m.newReader(r.cells, d)
	r.clear()
	return r
}

// A chunk is full at so many records, or bytes of a column of texts: far below what Offsets can say.
const (
	fullRows  = 4096
	fullBytes = 16 << 20
)

// Read appends a record. bad is as Reader.Read returns it: it depends on private data.
func (r *RawReader) Read(record any) (bad int) {
	r.codes, r.id, bad = r.r.Read(record, r.codes[:0], r.id[:0])
	if r.r.id != nil {
		r.ids.Bytes = append(r.ids.Bytes, r.id...)
		r.ids.Offsets = append(r.ids.Offsets, uint32(len(r.ids.Bytes)))
	}
	r.rows++
	return bad
}

// Full reports whether it is time to Take.
func (r *RawReader) Full() bool {
	full := r.rows >= fullRows || len(r.ids.Bytes) >= fullBytes
	for a := range r.cells.attrs {
		full = full || len(r.cells.attrs[a].col.Bytes) >= fullBytes
	}
	return full
}

// Take returns the records since the last call, in a chunk of its own memory; nil if there are none.
func (r *RawReader) Take() *domain.Chunk {
	if r.rows == 0 {
		return nil
	}
	c := &domain.Chunk{Rows: r.rows, ID: r.ids, Columns: r.cells.columns()}
	r.clear()
	return c
}

func (r *RawReader) clear() {
	r.rows, r.ids = 0, domain.Column{}
	if r.r.id != nil {
		r.ids = domain.Column{Form: domain.Text, Offsets: []uint32{0}}
	}
	r.cells.reset(false)
}
