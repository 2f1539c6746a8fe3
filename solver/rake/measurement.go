package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// measurement is a released residual and the table that the model is fitted to for it.
//
// A residual speaks of what a table adds to its sub-tables, and a fit converges on counts: the table's target is the
// residual plus a lower-order part that was known before the fit, of the candidate's base.
type measurement struct {
	table     *population.Table
	values    []float64 // as released, or the mean of two releases
	precision float64   // 1/variance of a cell of values, counts⁻²

	lower []float64 // the lower-order part of its counts
	ridge []float64 // of the counts as released
	axes  []axis    // columns along which they are smoothed
	shape []int

	base     []float64 // of the prior, counts
	relative float64   // its standard deviation, as a part of Σbase over the whole table

	assumed bool // before it was released: see shrinkToIndependence

	empty *emptiness // nil: cells without records are not looked for
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

// aim sets the target and the ridge of the fit.
func (m *measurement) aim() {
	counts := make([]float64, len(m.values))
	for i, x := range m.lower {
		counts[i] = m.values[i] + x
	}
	target, left := smoothTable(counts, m.shape, m.axes, 1/math.Sqrt(m.precision))
	copy(m.table.Target, target)
	if m.assumed {
		m.shrinkToIndependence()
		return
	}
	for i, x := range left {
		m.table.Ridge[i] = m.ridge[i] * x
	}
	if m.empty == nil {
		return
	}
	less := m.empty.of(counts, 1/m.precision)
	for i, p := range less {
		less[i] = p * m.table.Target[i]
	}
	population.Center(less, m.shape) // the one-ways of the target stay
	for i, x := range less {
		m.table.Target[i] -= x
	}
}

// addMeasurement makes a table of a released residual, or combines it with an earlier one: inverse-variance mean,
// and a ridge that falls with the noise. A pair that was assumed keeps its prior: the model may have become wrong of it.
func (r *run) addMeasurement(c *candidate, m query.Measurement) {
	u, shape := 1/m.Variance, population.Shape(r.merged.sizes, c.clique)
	t := r.tables[c.clique.Key()]
	switch {
	case t == nil:
		relative := r.settings.deviation * c.score / r.total.Units
		t = &measurement{base: c.base, relative: relative, shape: shape,
			table: population.NewTable(r.merged.sizes, c.clique, make([]float64, len(m.Values)), make([]float64, len(m.Values)))}
		r.tables[c.clique.Key()] = t
	case t.precision > 0:
		part := t.precision / (t.precision + u)
		for i, x := range m.Values {
			t.values[i] += (1 - part) * (x - t.values[i])
			t.ridge[i] *= part
		}
		t.precision += u
		t.aim()
		return
	}
	t.relative = max(leastDeviation, t.relative)
	t.values, t.precision, t.axes = m.Values, u, r.axes(c.clique)
	t.lower = lowerPart(t.base, shape)
	t.ridge = ridge(t.base, m.Values, t.lower, u, t.relative)
	if len(c.clique) == 2 && len(c.base) > 4 { // one number makes all cells of a residual of 2×2
		t.empty = &emptiness{t.base, priorScale(t.base, t.relative)}
	}
	t.aim()
}

// axes returns the columns of a pair whose bins were learned: those hold about as many records each, so that
// neighbours are alike.
func (r *run) axes(c domain.Clique) (out []axis) {
	if len(c) != 2 {
		return nil
	}
	for i, a := range c {
		if !r.oneWays[a].learned {
			continue
		}
		x := axis{at: i}
		seen := make([]bool, r.merged.sizes[a])
		for _, code := range r.merged.codes[a][:r.problem.Domain.Attributes[a].Learned] {
			if !seen[code] {
				x.order = append(x.order, int(code))
			}
			seen[code] = true
		}
		if len(x.order) >= leastSmoothed {
			out = append(out, x)
		}
	}
	return out
}
