package publish

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/solver"
)

// maxMarginalCells bounds _marginals.parquet: about 100 MB of it, and half a second.
const maxMarginalCells = 2_000_000

// marginalsOf returns the marginals that are published with the rows, and what the statement says about them: those
// of the workload, with the noisy answers that were bought. All figures follow from the release.
func marginalsOf(d *domain.Domain, w query.Workload, r *solver.Result) ([]domain.Clique, []*parquetio.Marginal, report.Marginals) {
	noisy := map[string]*query.Measurement{}
	for i := range r.Measurements {
		noisy[r.Measurements[i].Clique.Key()] = &r.Measurements[i]
	}
	cliques, summary := published(w, r, maxMarginalCells)
	units := math.Max(r.Total.Units, 1)
	intervals, scale := interval.New(r), units/r.Model.Total()
	var list []*parquetio.Marginal
	var largest, shares interval.Largest
	all := true
	for i, fitted := range r.Model.Marginals(cliques) {
		c := cliques[i]
		m := &parquetio.Marginal{Names: c.Names(d), Labels: labels(d, c), Fitted: fitted}
		multiply(m.Fitted, scale)
		m.FittedError = intervals.StandardErrors(c, m.Fitted, nil)
		m.FittedFrom = sourced(intervals, c, m.FittedError, &largest)
		m.FittedHigh = intervals.Highs(c, m.Fitted, m.FittedError, nil)
		summary.Intervals += int64(len(m.FittedError))
		if len(c) == 1 {
			shares.Add(m.FittedError)
			all = all && !slices.ContainsFunc(m.FittedError, math.IsNaN)
		}
		multiply(m.Fitted, 1/units)
		multiply(m.FittedError, 1/units)
		multiply(m.FittedHigh, 1/units)
		if n := noisy[c.Key()]; n != nil {
			m.Noisy, m.NoisyError = multiply(slices.Clone(n.Values), 1/units), math.Sqrt(n.Variance)/units
		}
		list = append(list, m)
	}
	summary.LookedAt, summary.LargestError = largest.Cells(), largest.Median()/units
	if all {
		summary.Shares = min(1, max(1, shares.Within(.95))/units) // noise that is nearly always 0 is off by one if it is off
	}
	return cliques, list, summary
}

// PageMarginals returns published marginals as the report is drawn from them.
func PageMarginals(cliques []domain.Clique, list []*parquetio.Marginal) []report.Marginal {
	out := make([]report.Marginal, len(list))
	for i, m := range list {
		out[i] = report.Marginal{Clique: cliques[i], Fitted: m.Fitted, FittedError: m.FittedError, FittedFrom: m.FittedFrom}
	}
	return out
}

// sourced returns the word for where each standard error of c comes from. Those that rest on a look at the
// marginal itself are added to largest: the others are too wide to predict the worst cell from.
func sourced(v *interval.Intervals, c domain.Clique, standardErrors []float64, largest *interval.Largest) []string {
	words, looked := make([]string, len(standardErrors)), make([]float64, 0, len(standardErrors))
	for i, source := range v.Sources(c, make([]interval.Source, len(words))) {
		words[i] = source.String()
		if source == interval.Measured || source == interval.Scored {
			looked = append(looked, standardErrors[i])
		}
	}
	largest.Add(looked)
	return words
}

// published returns the marginals of the workload and the others that noisy answers were bought for. If
// their cells exceed limit, those that anything was measured of come first, and the rest in their order, each
// if it still fits: a public rule on sizes and on what was released.
func published(w query.Workload, r *solver.Result, limit int64) ([]domain.Clique, report.Marginals) {
	all, measured := w.Cliques(), map[string]bool{}
	wanted := map[string]bool{}
	for _, c := range all {
		wanted[c.Key()] = true
	}
	for _, m := range r.Measurements {
		measured[m.Clique.Key()] = true
		if !wanted[m.Clique.Key()] {
			all = append(all, m.Clique)
		}
	}
	if r.Uncertainty != nil {
		for _, t := range r.Uncertainty.Tables {
			measured[t.Clique.Key()] = measured[t.Clique.Key()] || t.Precision > 0
		}
	}
	summary := report.Marginals{File: MarginalsFile, Of: len(all), MaxCells: limit}
	fits := make([]bool, len(all))
	for _, first := range []bool{true, false} {
		for i, c := range all {
			if cells, err := c.Cells(w.Sizes); measured[c.Key()] == first && err == nil && cells <= limit-summary.Cells {
				fits[i] = true
				summary.Cells += cells
				summary.Marginals++
			}
		}
	}
	var out []domain.Clique
	for i, c := range all {
		if fits[i] {
			out = append(out, c)
		}
	}
	return out, summary
}

// labels returns the labels of the cells of each attribute of c.
func labels(d *domain.Domain, c domain.Clique) [][]string {
	out := make([][]string, len(c))
	for i, a := range c {
		for v := range d.Attributes[a].Size() {
			out[i] = append(out[i], d.Attributes[a].Label(domain.Code(v)))
		}
	}
	return out
}

// multiply multiplies x by f in place and returns it.
func multiply(x []float64, f float64) []float64 {
	for i := range x {
		x[i] *= f
	}
	return x
}
