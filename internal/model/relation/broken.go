package relation

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Native reads one cell as columns of rows that are written hold it: a number in the native unit, the place of a
// text among the values, or a float64. False is NULL, and what is no value of the column.
func Native(a *domain.Attribute, col *domain.Column, row int) (x int64, f float64, ok bool) {
	if col.Form == domain.Absent || col.Null(row) {
		return 0, 0, false
	}
	s := ""
	switch col.Form {
	case domain.Text:
		s = string(col.Text(row))
	case domain.Dictionary:
		s = col.Dict[col.Ints[row]]
	case domain.Floats:
		if f = col.Floats[row]; a.Type == domain.Float64 {
			return 0, f, f-f == 0
		}
		s = string(domain.AppendFloat(nil, f))
	default:
		if x = col.Ints[row]; a.Type != domain.String {
			return x, float64(x), true
		}
		s = text(&domain.Attribute{Type: domain.Int64}, x)
	}
	switch a.Type {
	case domain.String:
		for k, v := range a.Values {
			if v == s {
				return int64(k), 0, true
			}
		}
		return int64(len(a.Values)), 0, a.Other
	case domain.Float64:
		f, ok = domain.ParseFloat(s)
		return 0, f, ok
	}
	x, ok = a.ParseNative(s)
	return x, 0, ok
}

// Columns returns the columns of c, attributes first and then derived columns, in the form of
// rows that are written. Absent ones stay so.
func (p *Plan) Columns(c *domain.Chunk) []domain.Column {
	out := make([]domain.Column, len(p.columns))
	for k := range out {
		a, from, to := &p.columns[k], &c.Columns[k], &out[k]
		if from.Form == domain.Absent {
			continue
		}
		to.Form, to.Nulls = domain.Ints, make([]bool, c.Rows)
		if a.Type == domain.Float64 {
			to.Form, to.Floats = domain.Floats, make([]float64, c.Rows)
		} else {
			to.Ints = make([]int64, c.Rows)
		}
		for row := range c.Rows {
			x, f, ok := Native(a, from, row)
			if to.Nulls[row] = !ok; to.Form == domain.Floats {
				to.Floats[row] = f
			} else {
				to.Ints[row] = x
			}
		}
	}
	return out
}

// Broken calls found for each row that breaks an order, a date, or what a derived column follows from. Its columns are
// attributes first and then derived columns; an Absent one breaks nothing, and NULL no order and no date.
func (p *Plan) Broken(c *domain.Chunk, found func(k Kind, i, row int)) {
	columns := p.Columns(c)
	for i, o := range p.d.Orders {
		for row := range c.Rows {
			if p.disordered(o.Columns, columns, row) {
				found(Order, i, row)
			}
		}
	}
	for i := range p.calendars {
		for row := range c.Rows {
			if p.calendars[i].undated(columns, row) {
				found(Date, i, row)
			}
		}
	}
	for _, st := range p.steps {
		given, want := columns[st.column], st.run(columns, c.Rows)
		if columns[st.column] = want; given.Form == domain.Absent {
			continue
		}
		for row := range c.Rows {
			if given.Null(row) != want.Null(row) || !given.Null(row) && !same(&given, &want, row) {
				found(Derived, st.column-p.d.Len(), row)
			}
		}
	}
}

// disordered reports whether a value of a row is below one before it.
func (p *Plan) disordered(names []string, columns []domain.Column, row int) bool {
	last := -1
	for _, name := range names {
		a := p.d.Index(name)
		if columns[a].Form == domain.Absent || columns[a].Null(row) {
			continue
		}
		if last >= 0 && p.scales[last].get(&columns[last], row) > p.scales[a].get(&columns[a], row) {
			return true
		}
		last = a
	}
	return false
}

// undated reports whether the parts of a row are no date.
func (c *calendar) undated(columns []domain.Column, row int) bool {
	year, month, day := &columns[c.year], &columns[c.month], &columns[c.day]
	if month.Null(row) || day.Null(row) {
		return false
	}
	y, m, d := int64(0), month.Ints[row], day.Ints[row]
	if !year.Null(row) {
		y = year.Ints[row]
	}
	return m < 1 || m > 12 || y < 0 || y > 9999 || d < 1 || d > lastDay(y, m)
}

// same reports whether two columns have one value in a row. Sums of float64 are the same to nine digits: whoever wrote
// the table may have added in another order.
func same(given, want *domain.Column, row int) bool {
	if want.Form == domain.Floats {
		x, y := given.Floats[row], want.Floats[row]
		return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y), 1)
	}
	return given.Ints[row] == want.Ints[row]
}
