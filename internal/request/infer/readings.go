package infer

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// reading is what the cells of a column are if they are of one family of kinds, written in the usual way or in one of the ways
// of people. Few cells may be odd: one record decides no column.
type reading struct {
	schema.Written               // empty: the usual way
	first, last    cellkind.Kind // of the family
	numbers
	used bool  // some cell is written so, and not in the usual way
	fits bool  // the last cell does
	odd  int64 // cells that do not
	vast int64 // whole numbers that no INT64 holds
	wide spread
	text []byte
}

// families are the kinds that have a type in common.
var families = [][2]cellkind.Kind{{cellkind.Boolean, cellkind.Boolean}, {cellkind.Integer, cellkind.Float}, {cellkind.Date, cellkind.Timestamp}, {cellkind.Clock, cellkind.Clock}}

func newReadings() (all []*reading) {
	for _, f := range families {
		all = append(all, &reading{first: f[0], last: f[1], numbers: numbers{empty: true}})
	}
	for _, w := range schema.WrittenForms {
		f := families[2]
		if w.Numbers() {
			f = families[1]
		}
		all = append(all, &reading{Written: w, first: f[0], last: f[1], numbers: numbers{empty: true}})
	}
	return all
}

// A reading with more odd cells than these, and than a tenth, is given up. A hundredth may be odd in the end, as where a domain is
// found.
const (
	someOdd = 100
	mostOdd = 100
)

// readAs adds a cell to all readings.
func (t *tally) readAs(cell []byte) {
	k, places := cellkind.Classify(cell)
	t.all++
	t.readings = slices.DeleteFunc(t.readings, func(r *reading) bool {
		if r.fits = r.add(cell, k, places); r.fits && r.Written == "" && r.kind > cellkind.Boolean {
			t.x = r.x
		}
		if !r.fits {
			r.odd++
		}
		return r.odd > someOdd && r.odd*10 > t.all
	})
	for _, pair := range rivals {
		if a, b := t.find(pair[0]), t.find(pair[1]); a != nil && b != nil && a.fits && b.fits {
			t.unclear = t.unclear || !bytes.Equal(a.text, b.text)
		}
	}
}

// add takes a cell of a kind in the usual way, and reports whether it fits.
func (r *reading) add(cell []byte, k cellkind.Kind, places int) bool {
	text := cell
	if r.Written != "" {
		read, ok := r.Canonical(r.text, cell, cellkind.LatestShort)
		if !ok || len(cell) > 64 {
			return false
		}
		text, r.text = read, read
		k, places = cellkind.Classify(text)
	}
	r.x = math.NaN()
	switch {
	case r.first <= k && k <= r.last:
		r.untyped(text, k, places)
	case r.first == cellkind.Integer && cellkind.Vast(text):
		v, _ := strconv.ParseFloat(string(text), 64) // digits
		r.vast++
		r.wide.add(v, false)
	default:
		return false
	}
	r.used = r.used || !bytes.Equal(text, cell)
	return true
}

// settle takes vast numbers for odd cells, or the column for a FLOAT64 if many are among decimals.
func (r *reading) settle(cells int64) {
	if r.vast == 0 || r.kind != cellkind.Float && (r.kind != cellkind.Decimal || r.vast*mostOdd <= cells) {
		r.odd += r.vast
		return
	}
	r.kind = cellkind.Float
	for key, h := range r.wide {
		r.spread.count(key, h.lo, h.n)
		r.spread.count(key, h.hi, 0)
	}
}

// find returns the reading of a form, nil if it is none.
func (t *tally) find(w schema.Written) *reading {
	for _, r := range t.readings {
		if r.Written == w && r.used {
			return r
		}
	}
	return nil
}

// usual takes the family that the cells have in the usual way, and gives up all readings that have too many odd cells. Where all
// values, the odd ones too, are frequent, the column has categories.
func (t *tally) usual(units bool) {
	t.kind, t.odd = cellkind.Text, math.MaxInt64
	_, few := t.values.supported(units)
	t.readings = slices.DeleteFunc(t.readings, func(r *reading) bool {
		r.settle(t.all)
		return r.odd*mostOdd > t.all || r.odd > 0 && few
	})
	for _, r := range t.readings {
		if r.Written == "" {
			t.numbers, t.odd = r.numbers, r.odd
		}
	}
}

// rivals are forms that some cells can be written in alike.
var rivals = [][2]schema.Written{{schema.PointNumbers, schema.CommaNumbers}, {schema.DayFirst, schema.MonthFirst}}

// rivalsOf returns the readings of two rivals, without one that more cells do not fit; near is whether they are few.
func (t *tally) rivalsOf(pair [2]schema.Written) (a, b *reading, near bool) {
	a, b = t.find(pair[0]), t.find(pair[1])
	if a == nil || b == nil || a.odd == b.odd {
		return a, b, a != nil && b != nil
	}
	if near = max(a.odd-b.odd, b.odd-a.odd) < MinSupport; a.odd > b.odd {
		return nil, b, near
	}
	return a, nil, near
}

// settle gives untyped columns their types, and their forms if they are not written in the usual way. A column that
// can be read in two ways follows the others.
func (s *Source) settle(tallies []*tally) {
	proven := map[schema.Written]bool{}
	for _, t := range tallies {
		if !t.Untyped || t.all == 0 {
			continue
		}
		t.usual(s.PrivacyID != "")
		if r := t.find(schema.DateDigits); t.kind == cellkind.Integer && r != nil && r.odd <= t.odd && r.lo >= day(1800) && r.hi < day(2100) {
			t.take(r, "numbers of eight digits that are all dates, and read as such")
			continue
		}
		for _, w := range schema.WrittenForms {
			if r := t.find(w); r != nil && r.odd < t.odd {
				t.take(r, "")
			}
		}
		for _, pair := range rivals {
			if a, b, near := t.rivalsOf(pair); !near && (a == nil) != (b == nil) && t.form != nil {
				proven[t.form.Written] = true
			}
		}
	}
	for _, t := range tallies {
		for i := range rivals {
			s.choose(t, i, proven)
		}
		t.settle()
	}
}

// choose takes one of two rivals for a column that can be read as both, as proven by other columns.
func (s *Source) choose(t *tally, i int, proven map[schema.Written]bool) {
	pair := rivals[i]
	a, b, near := t.rivalsOf(pair)
	question := ""
	if t.unclear || t.kind == cellkind.Decimal {
		question = ambiguous[i]
	}
	switch second := proven[pair[1]] && !proven[pair[0]]; {
	case t.kind == cellkind.Decimal && i == 0 && a == nil && b != nil && b.odd <= t.odd && second:
		t.take(b, question)
	case t.form == nil || a == nil && b == nil || !near:
	case a == nil || b == nil: // some cells say which
		t.question = question
	case second, i == 0 && !proven[pair[0]] && s.csv.Comma == ';':
		t.take(b, question)
	default:
		t.take(a, question)
	}
}

// ambiguous are the questions on columns that could be read as either of two rivals.
var ambiguous = []string{"which of 1,234 and 1.234 is above a thousand? (csv: written)", "is 03/04/2024 in March, or in April? (csv: written)"}

// day returns the first day of a year.
func day(year int) int64 {
	v, _ := domain.Date.FromTime(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
	return v
}

// take settles for a reading.
func (t *tally) take(r *reading, question string) {
	t.form, t.question, t.odd = r, question, r.odd
}

// settle gives the column the type that its cells have. Decimal numbers that are all whole are INT64.
func (t *tally) settle() {
	if !t.Untyped {
		return
	}
	if t.form != nil {
		t.numbers = t.form.numbers
	}
	if t.kind == cellkind.Text {
		t.odd = 0
	}
	t.nulls = t.nulls || t.odd > 0
	letter := func(v string) bool { return cellkind.IsLetter([]byte(v)) }
	if t.kind == cellkind.Boolean && len(t.values.values) == 1 && t.values.having(letter) > 0 { // women, say
		t.kind = cellkind.Text
	}
	if t.Type = t.kind.Type(); t.kind == cellkind.Decimal && !t.parts {
		for ; t.scale > 0; t.scale-- {
			t.lo, t.hi = t.lo/10, t.hi/10
		}
		t.Type = domain.Int64
	}
}

// periods lists the months, quarters or weeks of a column that has little else, of all its years but those far from the rest, and
// reports whether it has nothing else.
func (f *frequent) periods() (list []string, only bool) {
	years, all := [cellkind.Periods]spread{}, f.records
	for v, s := range f.values {
		p, year := cellkind.PeriodOf([]byte(v))
		years[p].count(year, float64(year), s.records)
		if _, mark := cellkind.Mark([]byte(v)); mark {
			all -= s.records
		}
	}
	for p := cellkind.Months; p < cellkind.Periods && !f.lossy; p++ {
		first, last, _, _ := years[p].rest(true)
		n := int64(0)
		for year, h := range years[p] {
			if float64(year) >= first && float64(year) <= last {
				n += h.n
			}
		}
		if n >= MinSupport && float64(n) >= cellkind.MostPeriods*float64(all) {
			return p.Texts(int(first), int(last)), n == f.records
		}
	}
	return nil, false
}
