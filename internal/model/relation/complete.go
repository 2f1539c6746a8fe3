package relation

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Complete makes the columns of c, one for each attribute, the ones that are written, in their order without
// Layout: it computes derived columns and makes up generated ones, of rows first, first + 1, …. word gives random words of a
// generated column, whose number comes first.
func (p *Plan) Complete(c *domain.Chunk, first int64, word func(column int, i uint64) uint64) {
	if len(p.steps) == 0 && len(p.d.Generated) == 0 {
		return
	}
	columns := make([]domain.Column, len(p.columns))
	copy(columns, c.Columns)
	for _, st := range p.steps {
		columns[st.column] = st.run(columns, c.Rows)
	}
	out := slices.Clone(columns[:p.d.Len()])
	for i, d := range p.d.Derived {
		out = slices.Insert(out, min(max(d.Place, 0), len(out)), columns[p.d.Len()+i])
	}
	keys := make([]domain.Column, len(p.d.Generated))
	for k, g := range p.d.Generated {
		keys[k] = generate(g, c.Rows, first, func(i uint64) uint64 { return word(k, i) }, func(i uint64) uint64 { return word(shared, i) })
	}
	c.Columns = append(keys, out...)
}

// shared is the number of the words that several generated columns share; no column has it.
const shared = 1 << 30

// run computes the column of all rows.
func (st *step) run(columns []domain.Column, rows int) domain.Column {
	out := domain.Column{Form: domain.Ints}
	for _, u := range st.uses {
		if columns[u].Nulls == nil {
			continue
		}
		if out.Nulls == nil {
			out.Nulls = make([]bool, rows)
		}
		for i, null := range columns[u].Nulls {
			out.Nulls[i] = out.Nulls[i] || null
		}
	}
	if st.floats != nil {
		out.Form, out.Floats = domain.Floats, make([]float64, rows)
		for i := range rows {
			if !out.Null(i) {
				out.Floats[i] = st.floats(columns, i)
			}
		}
		return out
	}
	if st.dict != nil {
		out.Form, out.Dict = domain.Dictionary, st.dict
	}
	out.Ints = make([]int64, rows)
	for i := range rows {
		if out.Null(i) {
			continue
		}
		x, ok := st.ints(columns, i)
		switch {
		case ok && (st.fits == nil || st.fits(x)):
			out.Ints[i] = x
		case st.fallback != nil:
			out.Ints[i] = *st.fallback
		default:
			if out.Nulls == nil {
				out.Nulls = make([]bool, rows)
			}
			out.Nulls[i] = true
		}
	}
	return out
}
