package relation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// step computes one derived column.
type step struct {
	column int   // the one it fills
	uses   []int // if one of these is NULL, so is the value
	dict   []string
	ints   number
	floats func(columns []domain.Column, row int) float64 // of a FLOAT64

	fits     func(x int64) bool // the column holds it; nil: all
	fallback *int64             // of what does not fit; nil: NULL
	null     bool               // something may not fit, and become NULL
}

// derive makes derived column i ready, or reports its faults.
func (p *Plan) derive(i int) {
	if p.state[i] != unseen {
		return
	}
	p.state[i] = open
	d := &p.d.Derived[i]
	st, err := step{}, error(nil)
	switch {
	case len(d.Sum) > 0:
		st, err = p.sum(i)
	case len(d.Map) > 0 || d.Else != nil:
		st, err = p.lookup(i)
	default:
		st, err = p.expression(i)
	}
	if err != nil {
		p.state[i] = failed
		if !errors.Is(err, errSaid) {
			p.fault(Derived, i, "%v", err)
		}
		return
	}
	column := &p.columns[p.d.Len()+i]
	column.Null = st.null // declared so, or resolved
	for _, u := range st.uses {
		column.Null = column.Null || p.columns[u].Null
	}
	st.column = p.d.Len() + i
	p.steps = append(p.steps, st)
	p.state[i] = ready
}

// expression compiles From.
func (p *Plan) expression(i int) (step, error) {
	e, err := parseExpr(p.d.Derived[i].From)
	if err != nil {
		return step{}, err
	}
	return p.compiled(i, e)
}

// compiled returns the step of an expression whose value the column can hold.
func (p *Plan) compiled(i int, e *expr) (step, error) {
	c := &compiler{p: p}
	v, err := c.compile(e)
	if err != nil {
		return step{}, err
	}
	column := &p.columns[p.d.Len()+i]
	if v, err = p.typed(column, v); err != nil {
		return step{}, err
	}
	st := step{uses: slices.Compact(slices.Sorted(slices.Values(c.uses))), ints: v.eval}
	st.within(column, v, p.resolves)
	return st, nil
}

// typed returns v in the native unit of the column.
func (p *Plan) typed(column *domain.Attribute, v value) (value, error) {
	want := v.typ
	if v.typ == domain.Int64 && (v.scale > 0 || column.Type == domain.Numeric) {
		want = domain.Numeric
	}
	if p.untyped[column.Name] {
		column.Type = want
	}
	if column.Type != want {
		fix := want.String()
		if v.typ == domain.Int64 && v.scale == 0 {
			fix = "INT64 or NUMERIC"
		}
		return v, fmt.Errorf("column %q is declared as %v, and the computed values are %s", column.Name, column.Type, fix)
	}
	if want != domain.Numeric {
		return v, nil
	}
	cuts := slices.Clone(column.Cuts)
	for ; column.Scale < v.scale; column.Scale++ {
		for k := range cuts {
			cuts[k] = times(cuts[k], 10)
		}
	}
	column.Cuts = cuts
	return v.scaled(column.Scale), nil
}

// declared reports whether the domain says which values the column has.
func declared(a *domain.Attribute) bool { return a.Bins() > 0 }

// within says which values the column holds. One that declares none gets the ends of the expression. What does not fit becomes
// NULL in a column that has it, or that is being resolved; else the fallback, which is the least value if none is declared.
func (st *step) within(column *domain.Attribute, v value, resolves bool) {
	switch a := *column; {
	case !declared(column):
		column.Cuts, column.Resolution = []int64{v.lo, v.hi}, 1
	case len(a.Values) > 0 && !a.Other:
		known := map[int64]bool{}
		for _, s := range a.Values {
			x, _ := a.ParseNative(s)
			known[x] = true
		}
		st.fits, st.null = func(x int64) bool { return known[x] }, true
	case len(a.Values) == 0:
		first, last := a.Cuts[0], a.Cuts[len(a.Cuts)-1]
		st.fits, st.null = func(x int64) bool { return first <= x && x <= last }, v.lo < first || v.hi > last
	}
	st.null = st.null || v.partial
	if st.null && !column.Null && (column.HasFallback || !resolves) {
		lo, _, ok := column.Ends(column.Fallback)
		if st.null = !ok; ok {
			st.fallback = &lo
		}
	}
}

// sum compiles Sum: an expression of whole numbers and decimals, or a sum of float64.
func (p *Plan) sum(i int) (step, error) {
	d := &p.d.Derived[i]
	var e *expr
	var floats []int
	for _, name := range d.Sum {
		j, err := p.find(name)
		if err != nil {
			return step{}, err
		}
		if p.columns[j].Type == domain.Float64 {
			floats = append(floats, j)
		}
		term := &expr{op: 'c', name: name, at: 1}
		if e == nil {
			e = term
		} else {
			e = &expr{op: '+', args: []*expr{e, term}, at: 1}
		}
	}
	if len(d.Sum) < 2 {
		return step{}, errors.New("a sum needs at least two columns")
	}
	if len(floats) == 0 {
		st, err := p.compiled(i, e)
		if placed, ok := errors.AsType[*at](err); ok {
			err = placed.error
		}
		return st, err
	}
	return p.floatSum(i, floats)
}

// floatSum adds from left to right, as readers do who check it.
func (p *Plan) floatSum(i int, columns []int) (step, error) {
	column := &p.columns[p.d.Len()+i]
	if p.untyped[column.Name] {
		column.Type = domain.Float64
	}
	if len(columns) < len(p.d.Derived[i].Sum) || column.Type != domain.Float64 {
		return step{}, errors.New("FLOAT64 columns add up to a FLOAT64 column, and with no others")
	}
	lo, hi := 0.0, 0.0
	for k, j := range columns {
		a := &p.columns[j]
		l, h := a.FloatCuts[0], a.FloatCuts[len(a.FloatCuts)-1]
		if k == 0 {
			lo, hi = l, h
		} else {
			lo, hi = lo+l, hi+h
		}
	}
	if c := column.FloatCuts; len(c) > 0 && (lo < c[0] || hi > c[len(c)-1]) {
		return step{}, fmt.Errorf("the sum lies between %g and %g, outside of what column %q declares, %g to %g; widen it", lo, hi, column.Name, c[0], c[len(c)-1])
	}
	if len(column.FloatCuts) == 0 {
		column.FloatCuts = []float64{lo, hi}
	}
	return step{uses: columns, floats: func(all []domain.Column, row int) float64 {
		x := all[columns[0]].Floats[row]
		for _, j := range columns[1:] {
			x += all[j].Floats[row]
		}
		return x
	}}, nil
}
