package rake

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver/population"
)

// measurement is a released residual and the table that the model is fitted to for it.
//
// A residual speaks of what a table adds to its sub-tables, and a fit converges on counts: the table's target is the
// residual plus a lower-order part that was known before the fit, of the candidate's base (see anchor).
type measurement struct {
	table     *population.Table
	values    []float64 // as released, or the mean of two releases
	precision float64   // 1/variance of a cell of values, counts⁻²
}

// lowerPart returns the part of x, a table of the given shape, that no residual of it speaks of.
func lowerPart(x []float64, shape []int) []float64 {
	lower := slices.Clone(x)
	population.Center(lower, shape)
	for i := range lower {
		lower[i] = x[i] - lower[i]
	}
	return lower
}

// anchor sets the target to the residual and the lower-order part of base, counts.
func (m *measurement) anchor(base []float64, shape []int) {
	for i, x := range lowerPart(base, shape) {
		m.table.Target[i] = m.values[i] + x
	}
}

// take makes a table of a released residual, or refines the one that is there: inverse-variance mean,
// and a ridge that falls with the noise.
func (r *run) take(c *candidate, m query.Measurement) {
	u, shape := 1/m.Variance, population.Shape(r.merged.sizes, c.clique)
	if t := r.tables[c.clique.Key()]; t != nil {
		part := t.precision / (t.precision + u)
		for i, x := range m.Values {
			change := (1 - part) * (x - t.values[i])
			t.values[i] += change
			t.table.Target[i] += change
			t.table.Ridge[i] *= part
		}
		t.precision += u
		return
	}
	relative := max(leastDeviation, r.settings.deviation*c.score/r.total.Units)
	ridge := c.ridge(m.Values, lowerPart(c.base, shape), u, relative)
	t := &measurement{table: population.NewTable(r.merged.sizes, c.clique, make([]float64, len(m.Values)), ridge), values: m.Values, precision: u}
	t.anchor(c.base, shape)
	r.tables[c.clique.Key()] = t
}
