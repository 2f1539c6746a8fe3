package fit

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/cells"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
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

	ordered bool // its columns are: see correlate
	assumed bool // before it was released: see shrinkToIndependence

	law    *cells.Law // nil: all cells follow the usual prior
	sparse bool       // most cells do not
	whole  bool       // the fit is exact: of the whole universe
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

// aim sets the target and the ridge of the fit, and returns what a law says of the cells; nil if the usual prior explains them.
func (m *measurement) aim() *cells.Estimate {
	counts := make([]float64, len(m.values))
	for i, x := range m.lower {
		counts[i] = m.values[i] + x
	}
	target, left := smoothTable(counts, m.shape, m.axes, 1/math.Sqrt(m.precision))
	copy(m.table.Target, target)
	if m.assumed {
		m.shrinkToIndependence()
		return nil
	}
	for i, x := range left {
		m.table.Ridge[i] = m.ridge[i] * x
	}
	if m.law == nil {
		return nil
	}
	if m.ordered {
		m.correlate(counts)
	}
	e := m.law.Of(counts, m.shape, 1/m.precision)
	if m.sparse = e != nil && e.Empty > sparseShare; e == nil {
		return nil
	}
	usual := make([]float64, len(counts))
	for i, p := range e.Usual {
		usual[i] = p * m.table.Target[i]
		e.Mean[i] *= 1 - p
	}
	if !e.Follows {
		cells.Meet(e.Mean, usual, counts, m.shape)
	}
	for i, p := range e.Usual {
		m.table.Target[i] = usual[i] + e.Mean[i]
		if m.whole || e.Follows {
			m.table.Ridge[i] = p*m.table.Ridge[i] + (1-p)*lawRidge*e.Variance[i] + leastLawRidge
		} else {
			m.table.Ridge[i] *= p + (1-p)*sampledRidge
		}
	}
	return e
}

const (
	sparseShare = .5 // of the cells that are empty in a table that a descent, which knows of none, would blur
	// lawRidge is the ridge of a cell in a whole universe, of the variance that its law leaves: .3 gives empty cells of a band of ten
	// values a twentieth of all records, .001 to .01 are alike. A sampled population does not follow so little ridge: independent
	// columns whose sum is a third one then err by .11 in place of .05.
	lawRidge, leastLawRidge = .003, 1e-3
	// sampledRidge is the ridge of such a cell in a sampled population, of the usual one.
	sampledRidge = .2
)

// Add makes a table of a released residual, or combines it with an earlier one: inverse-variance mean,
// and a ridge that falls with the noise. A pair that was assumed keeps its prior: the model may have become wrong of it.
func (f *Fit) Add(c *choose.Candidate, m query.Measurement) {
	u, shape := 1/m.Variance, population.Shape(f.Merged.Sizes, c.Clique)
	t := f.measured[c.Clique.Key()]
	switch {
	case t == nil:
		relative := f.Deviation * c.Score / f.Units
		t = &measurement{base: c.Base, relative: relative, shape: shape,
			table: population.NewTable(f.Merged.Sizes, c.Clique, make([]float64, len(m.Values)), make([]float64, len(m.Values)))}
		f.measured[c.Clique.Key()] = t
	case t.precision > 0:
		part := t.precision / (t.precision + u)
		for i, x := range m.Values {
			t.values[i] += (1 - part) * (x - t.values[i])
			t.ridge[i] *= part
		}
		t.precision += u
		f.learn(t.table, t.aim())
		return
	}
	t.relative = max(choose.LeastDeviation, t.relative)
	t.values, t.precision, t.axes = m.Values, u, f.axes(c.Clique)
	t.ordered = f.ordered(c.Clique) && len(t.base) <= mostLinked
	t.lower = lowerPart(t.base, shape)
	if len(c.Clique) == 2 && slices.Min(t.base) == 0 { // sweeps over a base with zeros end before its sums are the columns'
		t.lower = lowerPart(f.Merged.Independent(c.Clique, f.Units), shape)
	}
	t.ridge = ridge(t.base, u, t.relative)
	if len(c.Clique) == 2 && len(c.Base) > 4 { // one number makes all cells of a residual of 2×2
		t.law, t.whole = &cells.Law{Base: t.base, Scale: priorScale(t.base, t.relative), Spread: [2][]float64{f.spread(c.Clique[0]), f.spread(c.Clique[1])}}, f.Whole
	}
	f.learn(t.table, t.aim())
}

// spread returns the standard deviations of the answers of column a, by merged code.
func (f *Fit) spread(a int) []float64 {
	out := make([]float64, f.Merged.Sizes[a])
	for _, code := range f.Merged.Codes[a] {
		out[code] = math.Hypot(out[code], f.Ones.List[a].Sigma)
	}
	return out
}

// axes returns the columns of a pair whose bins were learned: those hold about as many records each, so that
// neighbours are alike.
func (f *Fit) axes(c domain.Clique) (out []axis) {
	if len(c) != 2 {
		return nil
	}
	for i, a := range c {
		if !f.Ones.List[a].Learned {
			continue
		}
		x := axis{at: i}
		seen := make([]bool, f.Merged.Sizes[a])
		for _, code := range f.Merged.Codes[a][:f.problem.Domain.Attributes[a].Learned] {
			if !seen[code] {
				x.order = append(x.order, int(code))
			}
			seen[code] = true
		}
		if len(x.order) >= oneway.LeastSmoothed {
			out = append(out, x)
		}
	}
	return out
}

// ridge returns the ridge of every cell of a measured residual of precision u, in counts²: noise variance times base
// over prior variance, for a prior of standard deviation relative·Σbase over the whole table.
func ridge(base []float64, u, relative float64) []float64 {
	scale := priorScale(base, relative)
	out := make([]float64, len(base))
	for i, b := range base {
		b = max(b, cells.LeastBase)
		out[i] = b / (u * scale * math.Pow(b, cells.PriorPower))
	}
	return out
}

// priorScale returns the κ of a prior of standard deviation relative·Σbase over the whole table.
func priorScale(base []float64, relative float64) float64 {
	sum, total := 1e-9, 0.0
	for _, b := range base {
		sum += math.Pow(max(b, cells.LeastBase), cells.PriorPower/2)
		total += b
	}
	k := relative * total / sum
	return k * k
}

// learn takes from a table one of whose columns follows from the other how many records each value of that other one has.
func (f *Fit) learn(t *population.Table, e *cells.Estimate) {
	for _, one := range f.oneways {
		if e != nil && e.Follows && one.Clique[0] == t.Clique[1-e.Side] {
			clear(one.Target)
			for i, x := range t.Target {
				one.Target[[2]int{i % len(one.Target), i * len(one.Target) / len(t.Target)}[e.Side]] += x
			}
		}
	}
}
