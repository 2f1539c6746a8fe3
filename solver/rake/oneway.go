package rake

import (
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// oneWay is a released one-way table.
type oneWay struct {
	counts   []float64 // the estimate: the shrunk residual plus an equal part of the total
	sigma    float64   // standard deviation of the noise before centring; 0 if nothing was measured
	variance float64   // of a cell of the released residual
	spread   float64   // mean variance of the counts, before they were shrunk; 0 if nothing was measured
	bins     []float64 // variances of the counts, if they are of learned bins
	learned  bool      // counts are of learned bins, from a tree
	shrunk   bool      // counts that noise hides have been shrunk
}

// measureOneWays learns bins and releases the residuals of all other covered attributes. The others, and those with one value,
// are taken to be uniform.
func (r *run) measureOneWays() error {
	r.oneWays = make([]oneWay, len(r.targets.sizes))
	for a, k := range r.targets.sizes {
		r.oneWays[a].counts = slices.Repeat([]float64{r.total.Units / float64(k)}, k)
	}
	if err := r.learnBins(); err != nil {
		return err
	}
	attributes := slices.DeleteFunc(r.targets.attributes(), func(c domain.Clique) bool {
		x := attribute(r.problem.Domain, c[0])
		return x != nil && x.Learned > 0 && r.problem.Domain.BinsOf(c[0]) < 0
	})
	if len(attributes) == 0 {
		return nil
	}
	precision := make([]float64, len(attributes))
	for i, c := range attributes {
		k := float64(r.targets.sizes[c[0]])
		// The raw precision that minimises a sum of (weight·k)·σ; centring divides the variance by 1/(1−1/k).
		precision[i] = math.Pow((r.targets.weight[c[0]]+1)*k, 2./3) / (1 - 1/k)
		if c[0] == rowsAttribute(r.problem.Domain) {
			precision[i] *= rowCountsPrecision
		}
	}
	released, err := r.curator.Residuals(stageOneWays, 1, attributes, nil, precision, r.settings.oneWays)
	if err != nil {
		return fmt.Errorf("rake: %w", err)
	}
	for i, m := range released {
		k := float64(len(m.Values))
		one := &r.oneWays[attributes[i][0]]
		one.spread = m.Variance / (1 - 1/k)
		one.variance, one.sigma = m.Variance, math.Sqrt(one.spread)
		raw := make([]float64, len(m.Values))
		for v, x := range m.Values {
			raw[v] = x + r.total.Units/k
		}
		one.counts, one.shrunk = r.estimate(attributes[i][0], raw, one.sigma), attributes[i][0] == rowsAttribute(r.problem.Domain)
		r.released = append(r.released, query.Measurement{Clique: attributes[i], Values: raw,
			Variance: m.Variance + r.total.Variance/(k*k)})
	}
	return nil
}

// estimate returns estimated counts of attribute a. "Other" and NULL are no neighbours of the values
// before them, numbers of rows have a tail, and other numbers and times may have one at each end. Few values show nothing of
// their neighbours, and move to their mean as far as noise explains their spread.
func (r *run) estimate(a int, counts []float64, sigma float64) []float64 {
	if a == rowsAttribute(r.problem.Domain) {
		return rowCounts(counts, sigma, r.problem.Domain.Attributes[a].Cuts)
	}
	listed := len(counts)
	if x := attribute(r.problem.Domain, a); x != nil && x.Bins() >= leastSmoothed {
		listed = x.Bins()
	}
	if listed >= leastSmoothed {
		out := smooth(counts[:listed], sigma)
		if x := attribute(r.problem.Domain, a); x != nil && len(x.Cuts)+len(x.FloatCuts) > 0 {
			out = smoothTails(out, counts[:listed], sigma)
		}
		return append(out, counts[listed:]...)
	}
	k := float64(len(counts))
	mean := r.total.Units / k
	residual := make([]float64, len(counts))
	for v, x := range counts {
		residual[v] = x - mean
	}
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

// project returns the point of {p ≥ 0, Σp = total} nearest to y.
//
// Source: Held, Wolfe, Crowder 1974 (soft threshold by sorting).
func project(y []float64, total float64) []float64 {
	sorted := slices.Clone(y)
	slices.Sort(sorted)
	sum, threshold := 0.0, 0.0
	for i := range sorted {
		x := sorted[len(sorted)-1-i]
		sum += x
		if t := (sum - total) / float64(i+1); x > t {
			threshold = t
		}
	}
	out := make([]float64, len(y))
	for i, x := range y {
		out[i] = max(x-threshold, 0)
	}
	return out
}

// oneTables returns the one-way tables of the fit.
func (r *run) oneTables() []*population.Table {
	var out []*population.Table
	for _, c := range r.targets.attributes() {
		out = append(out, r.oneTable(c[0]))
	}
	return out
}

// oneWayRidge is the ridge of one-way tables, of their noise variance. They come before everything else: noise of a pair
// that ought to be below 0 in a cell cannot be met, that above 0 is, so that pairs pull at one-ways as one. At a
// hundredth the one-ways of a schedule of 300,000 flights end a third further off than their noise, at ε = 1.
const oneWayRidge = .001

// oneTable returns the one-way table of attribute a on merged codes, whose target is the estimate.
func (r *run) oneTable(a int) *population.Table {
	target, ridge := make([]float64, r.merged.sizes[a]), make([]float64, r.merged.sizes[a])
	for _, code := range r.merged.codes[a] {
		ridge[code] += oneWayRidge * r.oneWays[a].sigma * r.oneWays[a].sigma
	}
	for v, p := range r.merged.base[a] {
		target[v] = r.total.Units * p
	}
	return population.NewTable(r.merged.sizes, domain.Clique{a}, target, ridge)
}
