package solver

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// ErrorStage is the stage of the ledger at which the error of a model is measured.
const ErrorStage = "error"

// DefaultErrorShare is the part of the budget with which the error of a model is measured. It makes other noise half a
// percent larger. Of 20,000 units at ε = 1, δ = 1e-9 the average total variation is then known to ± .0028 with 95 %
// confidence, and in inverse proportion to the units.
const DefaultErrorShare = .01

// The error of a model is measured on at most so many marginals, of so many cells together: the curator's own limit, and
// what takes little time beside a fit.
const (
	mostMeasured      = 200
	mostMeasuredCells = 1 << 21
	errorShareParts   = 10_000 // shares are multiples of one part in so many
)

// ErrorShare returns the part of the budget for measuring the error of a model: of 0 the default, and none of a number below
// 0.
func ErrorShare(x float64) dp.Share {
	switch {
	case x < 0:
		return dp.Share{}
	case x == 0:
		x = DefaultErrorShare
	}
	return dp.ShareOf(int64(math.Round(x*errorShareParts)), errorShareParts)
}

// MeasuredError is the released error of a model: its mean distance from the table over some marginals.
type MeasuredError struct {
	Distance  query.MeanDistance
	Marginals int     // measured
	Of        int     // marginals of the workload that no other contains
	Share     float64 // of the budget
}

// TV returns the average total variation and the standard deviation of its noise, if there are so many units.
func (m *MeasuredError) TV(units float64) (tv, sd float64) {
	units = 2 * max(units, 1)
	return m.Distance.Counts / units, math.Sqrt(m.Distance.Variance) / units
}

// predictionSD is the standard deviation of predicted errors as a part of themselves: of 111 made-up and real tables that they
// were not chosen on, two of three are right to a quarter.
const predictionSD = .25

// Estimate returns the average total variation by measurement and prediction together, each with its inverse variance. A
// prediction that the measurement contradicts, by more than three standard deviations, is not used; one of 0 or NaN is none.
func (m *MeasuredError) Estimate(predicted, units float64) float64 {
	tv, sd := m.TV(units)
	if predicted > 0 {
		noise, prior := sd*sd, predictionSD*predicted*predictionSD*predicted
		if apart := tv - predicted; tv <= 0 || apart*apart <= 9*(noise+prior) {
			tv = (prior*tv + noise*predicted) / (prior + noise)
		}
	}
	return min(1, max(0, tv))
}

// spreadOfTV is the standard deviation of the total variation of marginals of about as many cells, as a part of the mean of
// all. On four real tables of 349 to 1,771 marginals, at ε = .3, 1 and 10, the mean over 200 was off by as much as .33
// makes of it in the root mean square, and .56 at most.
const spreadOfTV = .5

// SamplingSD returns the standard deviation that goes with measuring some of the marginals only, for a mean of tv.
func (m *MeasuredError) SamplingSD(tv float64) float64 {
	return spreadOfTV * tv * math.Sqrt((1-float64(m.Marginals)/float64(m.Of))/float64(m.Marginals))
}

// measurable reports whether the error of a model can be measured on a marginal.
func measurable(w query.Workload, m query.Marginal) bool {
	cells, err := m.Clique.Cells(w.Sizes)
	return m.Queries == nil && err == nil && cells <= mostMeasuredCells
}

// MeasuredMarginals returns the marginals on which the error of a model is measured, and of how many: the marginals of the workload
// that no other contains, or, by a public rule, every so many of them in the order of their cells, with which errors grow.
func MeasuredMarginals(w query.Workload) (cliques []domain.Clique, of int) {
	w.Marginals = slices.DeleteFunc(slices.Clone(w.Marginals), func(m query.Marginal) bool { return !measurable(w, m) })
	all := w.Maximal().Cliques()
	cells := func(c domain.Clique) int64 {
		n, _ := c.Cells(w.Sizes)
		return n
	}
	slices.SortFunc(all, func(a, b domain.Clique) int {
		return cmp.Or(cmp.Compare(cells(a), cells(b)), a.Compare(b))
	})
	for k := min(len(all), mostMeasured); k > 0; k-- {
		cliques = cliques[:0]
		sum := int64(0)
		for i := range k {
			c := all[(2*i+1)*len(all)/(2*k)]
			cliques, sum = append(cliques, c), sum+cells(c)
		}
		if sum <= mostMeasuredCells {
			break
		}
	}
	slices.SortFunc(cliques, domain.Clique.Compare)
	return cliques, len(all)
}

// measuresError reports whether the error of a method's model is measured: there is a share for it and a marginal, and all
// noise of the method follows from shares.
func measuresError(p Problem, accesses []Access) bool {
	return p.ErrorShare.Num > 0 && !slices.ContainsFunc(accesses, func(a Access) bool { return a.Noise > 0 }) &&
		slices.ContainsFunc(p.Workload.Marginals, func(m query.Marginal) bool { return measurable(p.Workload, m) })
}

// MeasureError releases how far the result's model is from the table.
func MeasureError(p Problem, r *Result, c Curator) error {
	cliques, of := MeasuredMarginals(p.Workload)
	w := query.Workload{Sizes: r.Model.Sizes}
	for _, q := range cliques {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: q, Weight: 1})
	}
	d, err := c.MeanDistance(ErrorStage, w, r.counts(cliques), p.ErrorShare)
	if err != nil {
		return err
	}
	r.Measured = &MeasuredError{Distance: d, Marginals: len(cliques), Of: of, Share: p.ErrorShare.Float()}
	return nil
}

// counts returns the model's marginals in counts of the released number of units.
func (r *Result) counts(cliques []domain.Clique) query.Answers {
	scale := max(0, r.Total.Units) / r.Model.Total()
	model := r.Model.Marginals(cliques)
	for _, cells := range model {
		for i := range cells {
			cells[i] *= scale
		}
	}
	return model
}
