package domain

import (
	"time"
	"unsafe"
)

// Encoder maps records to codes. Encoding never fails: a value that cannot be used becomes the cell that the
// attribute declares for it, which is "other" if there is one, else NULL, else the fallback. NULL becomes the cell
// NULL, else "other", else the fallback. A number outside all bins becomes the nearest bin.
//
// The methods From… encode one value of attribute a. Their second result reports whether the attribute could use the
// value, for callers that serve only the data owner.
//
// An Encoder is immutable: goroutines can share it. It refers to its domain, which must not change.
type Encoder struct{ columns []column }

// NewEncoder returns an encoder for a valid domain.
func NewEncoder(d *Domain) *Encoder {
	e := &Encoder{columns: make([]column, d.Len())}
	for i := range d.Attributes {
		e.columns[i] = newColumn(&d.Attributes[i])
	}
	return e
}

// FromText encodes an unparsed cell.
func (e *Encoder) FromText(a int, cell []byte) (Code, bool) {
	return e.columns[a].ofText(view(cell))
}

// FromString is FromText for a string.
func (e *Encoder) FromString(a int, cell string) (Code, bool) { return e.columns[a].ofText(cell) }

// FromInt encodes a whole number. It is usable for INT64, NUMERIC and FLOAT64 as itself, for BOOL if
// it is 0 or 1, and for STRING as its decimal text.
func (e *Encoder) FromInt(a int, v int64) (Code, bool) { return e.columns[a].ofInt(v) }

// FromNative encodes a number in the native unit of the attribute's type, as columns of Form Ints hold
// it; for the types without one it is FromInt.
func (e *Encoder) FromNative(a int, v int64) (Code, bool) { return e.columns[a].ofNative(v) }

// FromFloat encodes a float64. It is usable for FLOAT64, for NUMERIC as the number that its shortest
// decimal text says, and for INT64 if it is whole.
func (e *Encoder) FromFloat(a int, v float64) (Code, bool) { return e.columns[a].ofFloat(v) }

// FromBool encodes a bool, which is usable for BOOL.
func (e *Encoder) FromBool(a int, v bool) (Code, bool) { return e.columns[a].ofBool(v) }

// FromTime encodes a point in time: for TIMESTAMP the instant, for DATE, DATETIME and TIME what the
// wall clock of t's location shows.
func (e *Encoder) FromTime(a int, t time.Time) (Code, bool) {
	c := &e.columns[a]
	if v, ok := c.attr.Type.FromTime(t); ok {
		return c.ofNative(v)
	}
	return c.unusable, false
}

// Null encodes a NULL, which is usable if it has a cell of its own.
func (e *Encoder) Null(a int) (Code, bool) { return e.columns[a].ofNull() }

// Encode writes the code of attribute a of record i of the chunk to dst[i·d+a], d being the number of
// attributes. An Absent column is NULL everywhere. It panics if lengths disagree.
func (e *Encoder) Encode(chunk *Chunk, dst []Code) {
	e.EncodeStrict(chunk, dst)
}

// EncodeStrict is Encode, and also returns the position of the first unusable cell in order of records: its row in
// the chunk and its attribute, or ok. The position depends on private data; it is for the data owner alone.
func (e *Encoder) EncodeStrict(chunk *Chunk, dst []Code) (row, attr int, ok bool) {
	d := len(e.columns)
	if len(chunk.Columns) != d || len(dst) != chunk.Rows*d {
		panic("domain: Encode: chunk, destination and domain differ in size")
	}
	row = chunk.Rows
	for a := range e.columns {
		if first := e.columns[a].encode(&chunk.Columns[a], chunk.Rows, dst[min(a, len(dst)):], d); first < row {
			row, attr = first, a
		}
	}
	if row == chunk.Rows {
		return 0, 0, true
	}
	return row, attr, false
}

// encode writes the code of cell i to dst[i·step] and returns the first row with an unusable cell, or
// rows.
func (c *column) encode(col *Column, rows int, dst []Code, step int) int {
	if col.Form == Dictionary && len(col.Dict) <= rows {
		return c.encodeDictionary(col, rows, dst, step)
	}
	if col.Form == Ints && c.direct.cells != nil {
		return c.encodeInts(col, rows, dst, step)
	}
	first := rows
	for i := range rows {
		code, ok := c.cell(col, i)
		if !ok && first == rows {
			first = i
		}
		dst[i*step] = code
	}
	return first
}

// cell returns the code of one cell of a column of any form.
func (c *column) cell(col *Column, i int) (Code, bool) {
	if col.Null(i) {
		return c.ofNull()
	}
	switch col.Form {
	case Text:
		return c.ofText(view(col.Text(i)))
	case Ints:
		return c.ofNative(col.Ints[i])
	case Floats:
		return c.ofFloat(col.Floats[i])
	case Dictionary:
		return c.ofText(col.Dict[col.Ints[i]])
	}
	return c.ofNull()
}

// encodeDictionary encodes each entry of the dictionary once.
func (c *column) encodeDictionary(col *Column, rows int, dst []Code, step int) int {
	codes, usable, all := make([]Code, len(col.Dict)), make([]bool, len(col.Dict)), col.Nulls == nil
	for k, s := range col.Dict {
		codes[k], usable[k] = c.ofText(s)
		all = all && usable[k]
	}
	if all {
		for i, k := range col.Ints[:rows] {
			dst[i*step] = codes[k]
		}
		return rows
	}
	first := rows
	for i := range rows {
		code, ok := c.null, c.attr.Null
		if !col.Null(i) {
			k := col.Ints[i]
			code, ok = codes[k], usable[k]
		}
		if !ok && first == rows {
			first = i
		}
		dst[i*step] = code
	}
	return first
}

// view returns the bytes as a string without a copy. The string is not kept beyond the call that it is made for,
// during which the bytes do not change.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
