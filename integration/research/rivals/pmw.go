package rivals

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// PMW, private multiplicative weights: queries come one after the other, here cell by cell and round again. One that the
// model answers well, by a noisy test, costs nothing; the first that it does not is measured, and the model is moved to it.
//
// Source: Hardt, Rothblum 2010, "A Multiplicative Weights Mechanism for Privacy-Preserving Data Analysis".
// Events: C searches for an answer above the threshold, .7 of the budget, and C noisy counts. A search that goes round
// without a hit spends its count on a cell drawn at random, so that the accesses are those planned.
// Cost: C passes over the workload, with a noisy number for each cell, and C evaluations of the universe.
var pmw = Algorithm{
	Name: "pmw", Summary: "multiplicative weights on a stream of queries: a noisy test finds those to measure",
	Dense: true, Measures: true, Linear: true,
	schedule: func(s *setup) []solver.Access {
		return s.selectThenMeasure(dp.AboveThreshold, s.pmwUpdates(), 7, 3)
	},
	run: runPMW,
}

// pmwUpdates is C: more updates cover more cells with more noise.
func (s *setup) pmwUpdates() int {
	n := 100
	if s.cells < 10_000 {
		n = 60
	}
	return s.roundsOr(n)
}

// threshold is 4b·ln m in counts, b of one search: the size of the largest noise of m tests.
func (s *setup) threshold(search dp.Share) float64 {
	rho := solver.ZCDPRho(s.Epsilon, s.Delta) * search.Float()
	lo, hi := 0.0, 1+rho+2*math.Sqrt(2*rho)
	for range 60 { // ε·tanh(ε/2) = rho
		if mid := (lo + hi) / 2; mid*math.Tanh(mid/2) <= rho {
			lo = mid
		} else {
			hi = mid
		}
	}
	change := float64(s.workload.LargestChange(s.Neighbouring))
	return min(4*change/lo*math.Log(float64(max(s.cells, 2))), 1<<39)
}

func runPMW(s *session) (*population.Model, error) {
	updates := s.pmwUpdates()
	search, measure := s.each(updates, 7, 3)
	threshold, u, next := s.threshold(search), s.universe(), 0
	for t := 1; t <= updates; t++ {
		cell, err := s.curator.FirstAbove(stageSelect, t, s.workload, u.counts, next, threshold, search)
		if err != nil {
			return nil, err
		}
		if cell.Marginal < 0 {
			cell = u.cellAt(s.rng.IntN(len(u.flat)))
		}
		_, value, err := s.measureCell(t, cell, measure)
		if err != nil {
			return nil, err
		}
		u.project([]target{{cell.Marginal, cell.Cell, value}}, 0, 1)
		next = u.number(cell) + 1
		s.finished(t, updates)
	}
	return u.result(), nil
}

// number returns the place of a cell among all of the workload, and cellAt the cell at a place.
func (u *universe) number(c query.Cell) int {
	at := c.Cell
	for _, m := range u.counts[:c.Marginal] {
		at += len(m)
	}
	return at
}

func (u *universe) cellAt(at int) query.Cell {
	i := 0
	for ; at >= len(u.counts[i]); i++ {
		at -= len(u.counts[i])
	}
	return query.Cell{Marginal: i, Cell: at}
}
