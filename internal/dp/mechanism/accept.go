package mechanism

import (
	"errors"

	"github.com/dapple-dp/dapple/internal/dp/accountant"
)

// accept releases whether the largest of |count − model| − limit is at most 0, with noise. If all limits are equal,
// this is a function of the largest error, and has its event. Otherwise a constant is subtracted from each number
// before the largest is taken, so that the maximum still changes between neighbours by at most the change of one
// number.
func (g *gate) accept(r Request) (plan, error) {
	if len(r.Limits) != len(r.Workload.Marginals) {
		panic("mechanism: as many limits as marginals are needed")
	}
	for _, x := range r.Limits {
		if !inRange(x) || x < 0 {
			return plan{}, errors.New("limits are not all between 0 and 2^40 counts")
		}
	}
	event, err := g.ledger.MaxError(r.Workload.LargestChange(g.relation), r.Share)
	if err != nil {
		return plan{}, err
	}
	statistic := func() (int64, int) {
		return ceilTo(g.largestExcess(r), accountant.ScoreGridBits, event.GridBits)
	}
	return g.number(r, event, statistic, func(x float64) Release { return Release{Accepted: x <= 0} })
}

// largestExcess returns the largest of |count − model| − limit on the grid 2^-20.
func (g *gate) largestExcess(r Request) int64 {
	errs, most := g.workloadErrors(r.Workload, r.Model), int64(0)
	for i, answers := range r.Model {
		excess := largest(errs[:len(answers)]) - onGrid(r.Limits[i])
		if errs = errs[len(answers):]; i == 0 || excess > most {
			most = excess
		}
	}
	return most
}
