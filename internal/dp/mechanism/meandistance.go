package mechanism

import (
	"errors"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
)

// maxDistanceCells is the most cells of all marginals of a mean distance together: no sum of as many numbers below 2^41
// counts leaves an int64.
const maxDistanceCells = 1 << 21

// meanDistance releases the sum over all marginals of Σ|count − model|, rounded up to a whole count, with noise; a public
// division by the number of marginals makes it a mean. Records of one unit, whose weights add up to 1 at most, change a
// distance by at most 1, and a replaced unit by at most 2: the sum changes by as much for each marginal, and so does the
// sum rounded up, since that bound is a whole number.
func (g *gate) meanDistance(r Request) (plan, error) {
	cells := 0
	for _, m := range r.Workload.Marginals {
		if m.Queries != nil {
			return plan{}, errors.New("distances are of marginals, not of linear queries")
		}
		if cells += g.cells(m.Clique); cells > maxDistanceCells {
			return plan{}, errors.New("the marginals have more than 2^21 cells together")
		}
	}
	event, err := g.ledger.MaxError(query.SumOfDistancesChange(g.relation, len(r.Workload.Marginals)), r.Share)
	if err != nil {
		return plan{}, err
	}
	k := float64(len(r.Workload.Marginals))
	release := func(x float64) Release {
		return Release{MeanDistance: query.MeanDistance{Counts: x / k, Variance: event.Variance(0) / (k * k)}}
	}
	return g.number(r, event, func() (int64, int) { return g.sumOfDistances(r), 0 }, release)
}

// sumOfDistances returns the sum over all marginals of Σ|count − model|, models rounded to the grid 2^-20, rounded up to
// a whole count.
func (g *gate) sumOfDistances(r Request) int64 {
	sum := distance{}
	for i, m := range r.Workload.Marginals {
		d := distanceOf(g.marginal(m.Clique), g.weightBits, r.Model[i], accountant.ScoreGridBits)
		sum.counts, sum.steps = sum.counts+d.counts, sum.steps+d.steps
	}
	whole, _ := ceilTo(sum.steps, accountant.ScoreGridBits, 0)
	return sum.counts + whole
}
