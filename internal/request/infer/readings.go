package infer

import (
	"bytes"
	"slices"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// reading is what the cells of a column are if all of them are written in one of the ways of people.
type reading struct {
	schema.Written
	numbers
	used bool // some cell is written so, and not in the usual way
	text []byte
}

func newReadings() (all []*reading) {
	for _, w := range schema.WrittenForms {
		all = append(all, &reading{Written: w, numbers: numbers{empty: true}})
	}
	return all
}

// readAs adds a cell to all readings that it fits, and drops the others.
func (t *tally) readAs(cell []byte) {
	t.readings = slices.DeleteFunc(t.readings, func(r *reading) bool { return !r.add(cell) })
	for _, pair := range rivals {
		if a, b := t.find(pair[0]), t.find(pair[1]); a != nil && b != nil {
			t.unclear = t.unclear || !bytes.Equal(a.text, b.text)
		}
	}
}

func (r *reading) add(cell []byte) bool {
	text, ok := r.Canonical(r.text, cell, cellkind.LatestShort)
	if !ok || len(cell) > 64 {
		return false
	}
	r.text = text
	r.untyped(text)
	r.used = r.used || !bytes.Equal(text, cell)
	return r.fits()
}

// fits reports whether all cells so far are of a kind that can be written so.
func (r *reading) fits() bool {
	if r.Written == schema.PointNumbers || r.Written == schema.CommaNumbers {
		return r.kind >= cellkind.Integer && r.kind <= cellkind.Float
	}
	return r.kind >= cellkind.Date && r.kind <= cellkind.Timestamp
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

// rivals are forms that some cells can be written in alike.
var rivals = [][2]schema.Written{{schema.PointNumbers, schema.CommaNumbers}, {schema.DayFirst, schema.MonthFirst}}

// settle gives untyped columns their types, and their forms if they are not written in the usual way. A column that
// can be read in two ways follows the others.
func (s *Source) settle(tallies []*tally) {
	proven := map[schema.Written]bool{}
	for _, t := range tallies {
		if t.kind != cellkind.Text && t.kind != cellkind.Integer {
			continue
		}
		if r := t.find(schema.DateDigits); t.kind == cellkind.Integer {
			if r != nil && r.lo >= day(1800) && r.hi < day(2100) {
				t.take(r, "numbers of eight digits that are all dates, and read as such")
			}
			continue
		}
		for _, w := range schema.WrittenForms {
			if r := t.find(w); r != nil && t.form == nil {
				t.take(r, "")
			}
		}
		for _, pair := range rivals {
			a, b := t.find(pair[0]), t.find(pair[1])
			if (a == nil) != (b == nil) {
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
	a, b := t.find(pair[0]), t.find(pair[1])
	question := ""
	if t.unclear || t.kind == cellkind.Decimal {
		question = ambiguous[i]
	}
	switch second := proven[pair[1]] && !proven[pair[0]]; {
	case t.kind == cellkind.Decimal && i == 0 && a == nil && b != nil && second:
		t.take(b, question)
	case t.kind != cellkind.Text || a == nil || b == nil:
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
	t.form, t.question = r, question
}

// settle gives the column the type that its cells have. Decimal numbers that are all whole are INT64.
func (t *tally) settle() {
	if t.typed {
		return
	}
	if t.form != nil {
		t.numbers = t.form.numbers
	}
	if t.kind == cellkind.Boolean && len(t.values.values) == 1 {
		for letter := range t.values.values {
			if cellkind.IsLetter([]byte(letter)) { // women, say
				t.kind = cellkind.Text
			}
		}
	}
	if t.typ = t.kind.Type(); t.kind == cellkind.Decimal && !t.parts {
		for ; t.scale > 0; t.scale-- {
			t.lo, t.hi = t.lo/10, t.hi/10
		}
		t.typ = domain.Int64
	}
}
