// Package oneway estimates one-way tables from released values: smooths them, extends their tails, chooses bins, and merges
// values too rare to tell from noise.
package oneway

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Table is a released one-way table.
type Table struct {
	Counts   []float64 // the estimate: the shrunk residual plus an equal part of the total
	Sigma    float64   // standard deviation of the noise before centring; 0 if nothing was measured
	Variance float64   // of a cell of the released residual
	Spread   float64   // mean variance of the counts, before they were shrunk; 0 if nothing was measured
	Bins     []float64 // variances of the counts, if they are of learned bins
	Inside   []float64 // see solver.Uncertainty; nil if bins were not learned
	Own      []bool    // of learned bins and NULL: beside no other, see query.TreeShape
	Learned  bool      // counts are of learned bins, from a tree
	shrunk   bool      // counts that noise hides have been shrunk
}

// Tables are the one-way tables of all attributes, as far as they have been released.
type Tables struct {
	domain   *domain.Domain // nil: values without an order
	total    query.Total
	List     []Table
	Released []query.Measurement // on original codes
	Bins     []domain.LearnedBins
	Taken    []domain.LearnedBins // of attributes that have the bins of others
}

// Uniform returns even tables of the given sizes.
func Uniform(d *domain.Domain, sizes []int, total query.Total) *Tables {
	t := &Tables{domain: d, total: total, List: make([]Table, len(sizes))}
	for a, k := range sizes {
		t.List[a].Counts = slices.Repeat([]float64{total.Units / float64(k)}, k)
	}
	return t
}

// Total returns the number of units.
func (t *Tables) Total() query.Total { return t.total }

// Precision returns the precision of attribute a relative to others: the raw one that minimises a sum of (weight·k)·σ if costs are
// of a power of it. Centring divides the variance by 1/(1−1/k).
func (t *Tables) Precision(a int, weight, power float64) float64 {
	k := float64(len(t.List[a].Counts))
	p := math.Pow((weight+1)*k, 2/(1+2*power)) / (1 - 1/k)
	if a == RowsAttribute(t.domain) {
		p *= rowCountsPrecision
	}
	return p
}

// Add estimates the table of attribute a from a released residual.
func (t *Tables) Add(a int, m query.Measurement) {
	k := float64(len(m.Values))
	one := &t.List[a]
	one.Spread = m.Variance / (1 - 1/k)
	one.Variance, one.Sigma = m.Variance, math.Sqrt(one.Spread)
	raw := lists.Of(m.Values, func(x float64) float64 { return x + t.total.Units/k })
	one.Counts, one.shrunk = t.estimate(a, raw, one.Sigma), a == RowsAttribute(t.domain)
	t.Released = append(t.Released, query.Measurement{Clique: domain.Clique{a}, Values: raw,
		Variance: m.Variance + t.total.Variance/(k*k)})
}

// estimate returns estimated counts of attribute a. "Other" and NULL are no neighbours of the values
// before them, and numbers of rows have a tail. Few values show nothing of their neighbours, and move to their mean as far as noise explains their spread.
func (t *Tables) estimate(a int, counts []float64, sigma float64) []float64 {
	if a == RowsAttribute(t.domain) {
		return rowCounts(counts, sigma, t.domain.Attributes[a].Cuts)
	}
	listed := len(counts)
	if x := Attribute(t.domain, a); x != nil && x.Bins() >= LeastSmoothed {
		listed = x.Bins()
	}
	if listed >= LeastSmoothed {
		return append(smooth(counts[:listed], sigma), counts[listed:]...)
	}
	k := float64(len(counts))
	mean := t.total.Units / k
	residual := lists.Of(counts, func(x float64) float64 { return x - mean })
	keep := jamesStein(residual, (k-1)*sigma*sigma)
	for v := range residual {
		residual[v] = mean + keep*residual[v]
	}
	return residual
}

// jamesStein returns the positive-part factor by which a residual of expected noise energy is shrunk.
// It matters only where n·ε is tiny.
func jamesStein(residual []float64, noise float64) float64 {
	energy := 1e-9
	for _, x := range residual {
		energy += x * x
	}
	return max(0, 1-noise/energy)
}
