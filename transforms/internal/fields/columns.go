package fields

import (
	"math"
	"strconv"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Columns collects values as they are, where an encoder would make codes of them: in the forms that
// domain.Decoder makes and sinks take, which are Text for STRING, Floats for FLOAT64 and Ints for the
// others.
//
// A value that its column cannot hold, such as a text that is no number or NULL if there is none,
// becomes the least value of the cell that domain.Encoder maps it to. So encoding the columns gives the
// codes of what went in. Columns has the methods of domain.Encoder, and returns what that returns.
type Columns struct {
	enc   *domain.Encoder
	attrs []rawColumn
}

// rawColumn is one column that grows.
type rawColumn struct {
	attr    *domain.Attribute
	form    domain.Form
	lo, hi  int64           // numbers outside become one of their cell
	decoder *domain.Decoder // of this attribute alone
	cell    domain.Chunk    // scratch of decoder
	col     domain.Column
}

func newColumns(d *domain.Domain) *Columns {
	c := &Columns{enc: domain.NewEncoder(d), attrs: make([]rawColumn, d.Len())}
	for i := range c.attrs {
		a := &d.Attributes[i]
		r := &c.attrs[i]
		alone := *a
		alone.Coupling = nil
		r.attr, r.decoder = a, domain.NewDecoder(&domain.Domain{Attributes: []domain.Attribute{alone}})
		if r.form = r.decoder.Form(0); r.form == domain.Dictionary {
			r.form = domain.Text // a dictionary of raw texts would be as long as the column
		}
		f := a.Type.Facts()
		r.lo, r.hi = f.Least, f.Most
	}
	return c
}

// reset begins new columns: in new memory if the old is given away.
func (c *Columns) reset(keep bool) {
	for i := range c.attrs {
		r := &c.attrs[i]
		old := r.col
		if !keep {
			old = domain.Column{}
		}
		r.col = domain.Column{Form: r.form, Ints: old.Ints[:0], Floats: old.Floats[:0], Bytes: old.Bytes[:0], Nulls: old.Nulls[:0]}
		if r.form == domain.Text {
			r.col.Offsets = append(old.Offsets[:0], 0)
		}
	}
}

// columns returns what has been collected since reset.
func (c *Columns) columns() []domain.Column {
	out := make([]domain.Column, len(c.attrs))
	for i := range out {
		out[i] = c.attrs[i].col
	}
	return out
}

// FromString keeps a text if the column holds text, else what it says.
func (c *Columns) FromString(a int, s string) (domain.Code, bool) {
	code, ok := c.enc.FromString(a, s)
	r := &c.attrs[a]
	if r.form == domain.Text {
		r.text(s)
		return code, ok
	}
	if r.attr.Type == domain.Float64 {
		if v, err := strconv.ParseFloat(s, 64); ok && err == nil { // the encoder takes fewer forms
			r.float(v)
			return code, ok
		}
	}
	if v, is := r.attr.ParseNative(s); is {
		r.native(v, code)
	} else {
		r.declared(code) // of a BOOL that is declared, this is the value
	}
	return code, ok
}

// FromInt keeps a whole number.
func (c *Columns) FromInt(a int, v int64) (domain.Code, bool) {
	code, ok := c.enc.FromInt(a, v)
	r := &c.attrs[a]
	unit := int64(math.Pow10(r.attr.Scale)) // 1 but for NUMERIC
	if r.attr.Type.Facts().Calendar || v > math.MaxInt64/unit || v < math.MinInt64/unit {
		r.declared(code)
	} else {
		r.native(v*unit, code)
	}
	return code, ok
}

// FromNative keeps a number in the native unit.
func (c *Columns) FromNative(a int, v int64) (domain.Code, bool) {
	code, ok := c.enc.FromNative(a, v)
	c.attrs[a].native(v, code)
	return code, ok
}

// FromFloat keeps a float64; a NUMERIC takes its shortest decimal text, an INT64 a whole number.
func (c *Columns) FromFloat(a int, v float64) (domain.Code, bool) {
	code, ok := c.enc.FromFloat(a, v)
	r := &c.attrs[a]
	switch {
	case r.attr.Type == domain.Float64:
		r.float(v)
		return code, ok
	case r.attr.Type == domain.Int64 && v == math.Trunc(v) && v >= -1<<63 && v < 1<<63:
		r.native(int64(v), code)
		return code, ok
	case r.attr.Type == domain.Numeric:
		if n, is := r.attr.ParseNative(strconv.FormatFloat(v, 'e', -1, 64)); is {
			r.native(n, code)
			return code, ok
		}
	}
	r.declared(code)
	return code, ok
}

// FromBool keeps a bool.
func (c *Columns) FromBool(a int, v bool) (domain.Code, bool) {
	code, ok := c.enc.FromBool(a, v)
	if r := &c.attrs[a]; r.attr.Type != domain.Bool {
		r.declared(code)
	} else if v {
		r.native(1, code)
	} else {
		r.native(0, code)
	}
	return code, ok
}

// FromTime keeps a point in time: of a TIMESTAMP the instant, of the others what the wall clock shows.
func (c *Columns) FromTime(a int, t time.Time) (domain.Code, bool) {
	code, ok := c.enc.FromTime(a, t)
	r := &c.attrs[a]
	if v, is := r.attr.Type.FromTime(t); is {
		r.native(v, code)
	} else {
		r.declared(code)
	}
	return code, ok
}

// Null keeps a NULL if the column has one.
func (c *Columns) Null(a int) (domain.Code, bool) {
	code, ok := c.enc.Null(a)
	c.attrs[a].declared(code)
	return code, ok
}

// fromCell takes over a cell of a column of any form.
func (c *Columns) fromCell(a int, col *domain.Column, row int) (ok bool) {
	switch {
	case col.Form == domain.Absent, col.Null(row):
		_, ok = c.Null(a)
	case col.Form == domain.Text:
		_, ok = c.FromString(a, string(col.Text(row)))
	case col.Form == domain.Dictionary:
		_, ok = c.FromString(a, col.Dict[col.Ints[row]])
	case col.Form == domain.Floats:
		_, ok = c.FromFloat(a, col.Floats[row])
	default:
		_, ok = c.FromNative(a, col.Ints[row])
	}
	return ok
}

// declared appends the least value of a cell.
func (r *rawColumn) declared(code domain.Code) {
	r.decoder.Decode(&r.cell, []domain.Code{code}, func(int, int) uint64 { return 0 })
	switch cell := &r.cell.Columns[0]; {
	case cell.Null(0):
		r.null()
	case r.form == domain.Text:
		r.text(textOf(r.attr, cell, 0))
	case r.form == domain.Floats:
		r.float(cell.Floats[0])
	default:
		r.number(cell.Ints[0])
	}
}

// native appends a number, or one of its cell if it is beyond what the column or field holds.
func (r *rawColumn) native(v int64, code domain.Code) {
	switch {
	case v < r.lo || v > r.hi:
		r.declared(code)
	case r.attr.Type == domain.Float64:
		r.float(float64(v))
	default:
		r.number(v)
	}
}

func (r *rawColumn) number(v int64) {
	if r.form == domain.Text {
		one := domain.Column{Form: domain.Ints, Ints: []int64{v}}
		r.text(textOf(r.attr, &one, 0))
		return
	}
	r.col.Ints = append(r.col.Ints, v)
	r.present()
}

func (r *rawColumn) float(v float64) {
	if r.form == domain.Text {
		r.text(string(domain.AppendFloat(nil, v)))
		return
	}
	r.col.Floats = append(r.col.Floats, v)
	r.present()
}

func (r *rawColumn) text(s string) {
	r.col.Bytes = append(r.col.Bytes, s...)
	r.col.Offsets = append(r.col.Offsets, uint32(len(r.col.Bytes)))
	r.present()
}

// null appends a NULL. Only domains with a cell for it decode to one.
func (r *rawColumn) null() {
	switch r.form {
	case domain.Text:
		r.col.Offsets = append(r.col.Offsets, uint32(len(r.col.Bytes)))
	case domain.Floats:
		r.col.Floats = append(r.col.Floats, 0)
	default:
		r.col.Ints = append(r.col.Ints, 0)
	}
	r.col.Nulls = append(r.col.Nulls, true)
}

func (r *rawColumn) present() {
	if r.attr.Null {
		r.col.Nulls = append(r.col.Nulls, false)
	}
}
