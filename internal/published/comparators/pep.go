package comparators

import (
	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/population"
	"github.com/dapple-dp/dapple/solver"
)

// PEP, private entropy projection: each round measures the marginal of the worst answered cell, and the model is the
// one of maximum entropy among those that keep all measured answers, reached cell by cell.
//
// Source: Liu, Vietri, Wu 2021, "Iterative Methods for Private Synthetic Data: Unifying Framework and New Methods".
// Events: a selection of a cell and a noisy marginal in each of T rounds, half of the budget each.
// Cost: T·25 evaluations of the universe.
var pep = Algorithm{
	Name: "pep", Summary: "entropy projection on marginals with the worst cell, one a round",
	Dense: true, Measures: true, Linear: true,
	schedule: func(s *setup) []solver.Access {
		return s.selectThenMeasure(dp.Exponential, s.roundsOr(pepRounds), 1, 1)
	},
	run: runPEP,
}

// pepRounds is T of its authors' experiments.
const pepRounds = 25

func runPEP(s *session) (*population.Model, error) {
	rounds := s.roundsOr(pepRounds)
	choose, measure := s.each(rounds, 1, 1)
	u := s.universe()
	var targets []target
	for t := 1; t <= rounds; t++ {
		cell, err := s.curator.SelectCell(stageSelect, t, s.workload, u.counts, s.released.Units, choose)
		if err != nil {
			return nil, err
		}
		m, err := s.measure(t, cell.Marginal, measure)
		if err != nil {
			return nil, err
		}
		for c, y := range m.Values {
			least, most := s.workload.Marginals[cell.Marginal].Bounds(c)
			targets = retarget(targets, target{cell.Marginal, c, min(max(y, least*u.units), most*u.units)})
		}
		u.project(targets, 0, projections)
		s.finished(t, rounds)
	}
	return u.result(), nil
}
