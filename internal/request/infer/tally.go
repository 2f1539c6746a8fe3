package infer

import (
	"math"
	"math/big"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// tally is what is known of the cells of one column.
type tally struct {
	table.Column
	numbers
	readings []*reading // of an untyped column: what its cells may be
	all      int64      // its cells, but those that say that there is no value
	odd      int64      // cells that the type does not fit, and that become NULL
	form     *reading   // the one that was taken; nil: the cells are written in the usual way
	unclear  bool       // two readings of a cell differ
	question string     // on the form
	nulls    bool
	beyond   bool // a number is beyond the column's type, and becomes NULL
	values   *frequent
	marks    map[string]bool // texts that may stand for NULL
	groups   groups
	buf      []byte
	at       []float64 // of the cells of the last chunk: where a number, a date or a time is; NaN of anything else
}

// numbers is what is known of numbers, dates or times.
type numbers struct {
	kind     cellkind.Kind
	scale    int
	parts    bool     // a decimal number is not whole
	lo, hi   int64    // the range of numbers and times, in native units of the scale; of a FLOAT64 the spread has it
	empty    bool     // no number yet
	from, to *big.Rat // the range that is proposed of numbers
	spread   spread
	grain    grain
	x        float64 // the last number that was put
	digits   []byte  // memory
}

// newTally returns what counts one of so many columns. Of tables with more than 256 columns, fewer values are counted at a
// time; with more than 32, fewer are told apart.
func newTally(c table.Column, columns int) *tally {
	t := &tally{Column: c, values: newFrequent(shared(1<<20, maxCounted, 256, columns)), marks: map[string]bool{}}
	t.groups.most = shared(1<<25, maxDistinct, 4096, columns)
	t.numbers = numbers{empty: true, scale: c.Scale}
	if t.kind = cellkind.Of(c.Type); c.Untyped {
		t.kind, t.readings = cellkind.None, newReadings()
	}
	return t
}

// add takes the cells of a chunk; units holds a hash of each record's privacy ID, or nothing.
func (t *tally) add(c *domain.Column, rows int, units []uint64) {
	unit := uint64(0)
	t.at = t.at[:0]
	for i := range rows {
		if units != nil {
			unit = units[i]
		}
		t.x = math.NaN()
		if t.read(c, i) {
			t.values.add(t.buf, unit, units != nil)
			if c.Form != domain.Floats {
				t.groups.add(t.buf)
			}
		}
		t.at = append(t.at, t.x)
	}
}

// read takes a cell, and reports whether its text, which is in buf then, counts.
func (t *tally) read(c *domain.Column, i int) bool {
	number, ok := t.unitOf(c, i)
	switch {
	case c.Form == domain.Absent || c.Null(i):
		t.nulls = true
		return false
	case ok:
		if t.native(number); t.Type != domain.Int64 && t.Type != domain.Numeric {
			return false
		}
		t.buf = (&domain.Attribute{Type: t.Type, Scale: t.scale}).AppendNative(t.buf[:0], number)
	case c.Form == domain.Dictionary:
		t.buf = append(t.buf[:0], c.Dict[c.Ints[i]]...)
	case c.Form == domain.Floats:
		t.float(c.Floats[i])
		t.buf = domain.AppendFloat(t.buf[:0], c.Floats[i])
	case !t.Untyped && t.Type.Facts().Form == domain.Ints:
		t.nulls, t.beyond = true, true
		return false
	default:
		t.buf = append(t.buf[:0], c.Text(i)...)
		t.cell(t.buf)
	}
	return true
}

// unitOf returns a cell in the native unit of a column whose type has one. Such a column comes as texts if a number of it is
// beyond the type.
func (t *tally) unitOf(c *domain.Column, i int) (v int64, ok bool) {
	switch {
	case c.Form == domain.Ints:
		return c.Ints[i], true
	case c.Form == domain.Text && !t.Untyped:
		return (&domain.Attribute{Type: t.Type, Scale: t.scale}).ParseNative(string(c.Text(i)))
	}
	return 0, false
}

// mostMarks is how many texts of a column may stand for NULL.
const mostMarks = 8

// cell takes a cell of a column whose type is not known.
func (t *tally) cell(cell []byte) {
	if mark, ok := cellkind.Mark(cell); ok {
		t.marks[mark] = true
		return
	}
	if cellkind.Impossible(cell) && (len(t.marks) < mostMarks || t.marks[string(cell)]) {
		t.marks[string(cell)] = true
		return
	}
	t.readAs(cell)
}

// native widens the range to v.
func (t *numbers) native(v int64) {
	if t.empty {
		t.lo, t.hi, t.empty = v, v, false
	}
	t.lo, t.hi = min(t.lo, v), max(t.hi, v)
	if day := t.day(); day > 0 {
		t.put(float64(v)/float64(day), true)
	} else {
		t.put(float64(v)/math.Pow10(t.scale), false)
	}
	t.grain.add(v, t.scale)
}

// put notes where a number lies.
func (t *numbers) put(x float64, calendar bool) {
	t.x = x
	t.spread.add(x, calendar)
}

// day is the length of a day in native units of a date or moment, else 0.
func (t *numbers) day() int64 {
	if f := t.kind.Type().Facts(); f.Calendar && f.Most >= f.Day {
		return f.Day
	}
	return 0
}

// float widens the range to v, unless it is no number.
func (t *numbers) float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	t.empty = false
	t.put(v, false)
	t.digits = t.grain.addFloat(v, t.digits)
}

// untyped widens kind and range to a text of a kind.
func (t *numbers) untyped(cell []byte, k cellkind.Kind, places int) {
	t.promote(cellkind.Join(t.kind, k), places)
	s := string(cell)
	switch t.kind {
	case cellkind.Integer, cellkind.Decimal:
		a := domain.Attribute{Type: domain.Numeric, Scale: t.scale}
		v, _ := a.ParseNative(s)
		if t.kind == cellkind.Decimal && (v == math.MaxInt64 || v <= -math.MaxInt64) { // it may be beyond them
			t.untyped(cell, cellkind.Float, 0)
			return
		}
		t.native(v)
		_, isWhole := (&domain.Attribute{Type: domain.Int64}).ParseNative(s)
		t.parts = t.parts || !isWhole
	case cellkind.Float:
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			t.float(v)
		}
	case cellkind.Date, cellkind.DateTime, cellkind.Timestamp, cellkind.Clock:
		a := domain.Attribute{Type: t.kind.Type()}
		if t.kind == cellkind.DateTime { // a timestamp reads its cells, and those with a zone
			a.Type = domain.Timestamp
		}
		v, _ := a.ParseNative(s)
		t.native(v)
	}
}

// promote turns the range into one of another kind, with room for more decimal places.
func (t *numbers) promote(k cellkind.Kind, places int) {
	switch {
	case t.kind == cellkind.Date && (k == cellkind.DateTime || k == cellkind.Timestamp):
		t.lo, t.hi, t.grain.unit = t.lo*86_400_000_000, t.hi*86_400_000_000, t.grain.unit*86_400_000_000
	case k == cellkind.Decimal && (t.kind == cellkind.Integer || t.kind == cellkind.Decimal || t.kind == cellkind.None):
		if places > t.scale && !t.rescale(places) {
			t.promote(cellkind.Float, 0)
			return
		}
	}
	t.kind = k
}

// rescale gives the range more decimal places, if an int64 has room for them.
func (t *numbers) rescale(places int) bool {
	lo, okLo := scaled(t.lo, places-t.scale)
	hi, okHi := scaled(t.hi, places-t.scale)
	if okLo && okHi {
		t.lo, t.hi, t.scale = lo, hi, places
	}
	return okLo && okHi
}
