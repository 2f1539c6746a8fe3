package rivals

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// MWEM, multiplicative weights with the exponential mechanism: each round selects the worst answered cell, measures
// it, and moves the model to all measurements so far. The answer is the mean of the models of the later half.
//
// Source: Hardt, Ligett, McSherry 2012, "A Simple and Practical Algorithm for Differentially Private Data Release".
// Events: a selection of a cell and a noisy count in each of T rounds, half of the budget each. The count comes with
// the other cells of its marginal, which cost nothing more under AddRemove, and is used alone; a linear query is
// measured alone.
// Cost: T·25 evaluations of the universe.
var mwem = Algorithm{
	Name: "mwem", Summary: "multiplicative weights: each round selects and measures the worst cell",
	Dense: true, Measures: true, Linear: true,
	schedule: scheduleMWEM, run: runMWEM,
}

func scheduleMWEM(s *setup) []solver.Access {
	return s.selectThenMeasure(dp.Exponential, s.mwemRounds(), 1, 1)
}

// projections is how many entropy projections a round makes at most.
const projections = 25

// mwemRounds grows with the number of cells that may need a round of their own. A model that begins at a public table has
// fewer, T = rho·units²/(4·rows): the noise of a count has the variance T/rho, and a table of so many rows errs by half a
// unit for each √rows.
func (s *setup) mwemRounds() int {
	rounds := min(max(1.6*math.Sqrt(float64(s.cells)), 30), 200)
	if s.fromPublic {
		rounds = min(rounds, max(3, solver.ZCDPRho(s.Epsilon, s.Delta)*s.units*s.units/(4*s.rows)))
	}
	return s.roundsOr(int(rounds))
}

func runMWEM(s *session) (*population.Model, error) {
	rounds := s.mwemRounds()
	choose, measure := s.each(rounds, 1, 1)
	u := s.universe()
	mean := make([]float64, len(u.model))
	var targets []target
	for t := 1; t <= rounds; t++ {
		cell, err := s.curator.SelectCell(stageSelect, t, s.workload, u.counts, s.released.Units, choose)
		if err != nil {
			return nil, err
		}
		m, value, err := s.measureCell(t, cell, measure)
		if err != nil {
			return nil, err
		}
		targets = retarget(targets, target{cell.Marginal, cell.Cell, value})
		u.project(targets, math.Sqrt(m.Variance)/2, projections)
		if t > rounds/2 {
			for z, p := range u.model {
				mean[z] += p
			}
		}
		s.finished(t, rounds)
	}
	return &population.Model{Weights: mean}, nil
}

// measureCell measures one answer: a cell with the others of its marginal, a linear query alone.
func (s *session) measureCell(round int, c query.Cell, share dp.Share) (m query.Measurement, value float64, err error) {
	if s.workload.Marginals[c.Marginal].Queries != nil {
		if m, err = s.measureQueries(round, c.Marginal, c.Cell, c.Cell+1, share); err == nil {
			value = m.Values[0]
		}
		return m, value, err
	}
	if m, err = s.measure(round, c.Marginal, share); err == nil {
		value = m.Values[c.Cell]
	}
	return m, value, err
}

// retarget appends a target, or replaces the one of the same cell.
func retarget(targets []target, t target) []target {
	for i := range targets {
		if targets[i].marginal == t.marginal && targets[i].cell == t.cell {
			targets[i] = t
			return targets
		}
	}
	return append(targets, t)
}
