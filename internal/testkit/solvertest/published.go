package solvertest

import (
	"errors"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// Published is a Curator that also answers the mechanisms of published methods.
type Published struct{ *Curator }

// MeasureVariance answers solver.Published.
func (c Published) MeasureVariance(stage string, round int, cliques []domain.Clique, variance float64) ([]query.Measurement, error) {
	if c.pure() {
		return nil, errors.New("solvertest: Gaussian noise on a pure ledger")
	}
	each := make([]float64, len(cliques))
	for i := range each {
		each[i] = variance
	}
	charge := float64(len(cliques)) * float64(c.budget.Neighbouring.UnitChanges()) / (2 * variance)
	a := solver.Access{Stage: stage, Kind: dp.DiscreteGaussian, Noise: variance, Marginals: len(cliques), Cliques: cliques}
	return c.measure(round, a, charge, cliques, each)
}

// Keep answers solver.Published.
func (c Published) Keep(stage string, round int, w query.Workload, model query.Answers, cell query.Cell, total, threshold float64, share dp.Share) (bool, error) {
	b, charge := c.selection(float64(w.LargestChange(c.budget.Neighbouring)), share)
	b /= -math.Expm1(-.05)
	a := solver.Access{Stage: stage, Kind: dp.Exponential, Share: share, Keeps: true}
	return ask(c.Curator, round, a, charge, func() bool {
		score := c.errors(w, model)[cell.Marginal][cell.Cell]
		if cell.Sign < 0 {
			score = c.opposite(w.Marginals[cell.Marginal], cell.Cell, total) - score
		}
		return c.rng.Float64() < math.Exp(-max(0, threshold-score)/b-.05)
	}, w, clone(model), cell, total, threshold, share)
}

// Votes answers solver.Published.
func (c Published) Votes(stage string, round int, choice []int32, candidates int, share dp.Share) (query.Measurement, error) {
	charge, changes := share.Float()*c.budget.Capacity, float64(c.budget.Neighbouring.UnitChanges())
	v := changes * c.variance(1, charge)
	if c.pure() {
		v = c.variance(changes, charge)
	}
	all := domain.All(len(c.table.Sizes))
	a := solver.Access{Stage: stage, Kind: c.additive(), Share: share, Marginals: 1, Cliques: []domain.Clique{all}, Coordinates: int64(candidates)}
	return ask(c.Curator, round, a, charge, func() query.Measurement {
		m := query.Measurement{Clique: all, Values: make([]float64, candidates), Variance: v}
		for z, n := range c.table.Counts {
			m.Values[choice[z]] += n
		}
		for i := range m.Values {
			m.Values[i] += c.noise(v)
		}
		return m
	}, choice, candidates, share)
}

// FirstAbove answers solver.Published.
func (c Published) FirstAbove(stage string, round int, w query.Workload, model query.Answers, from int, threshold float64, share dp.Share) (query.Cell, error) {
	charge := share.Float() * c.budget.Capacity
	eps := charge
	if !c.pure() {
		eps = pureEpsilon(charge)
	}
	b := float64(w.LargestChange(c.budget.Neighbouring)) / eps
	laplace := func(scale float64) float64 { return scale * (c.rng.ExpFloat64() - c.rng.ExpFloat64()) }
	a := solver.Access{Stage: stage, Kind: dp.AboveThreshold, Share: share}
	return ask(c.Curator, round, a, charge, func() query.Cell {
		var cells []query.Cell
		var size []float64
		for i, m := range c.errors(w, model) {
			for j, x := range m {
				cells, size = append(cells, query.Cell{Marginal: i, Cell: j}), append(size, math.Abs(x))
			}
		}
		bar := threshold + laplace(2*b)
		for i := range cells {
			if at := (from + i) % len(cells); size[at]+laplace(4*b) >= bar {
				return cells[at]
			}
		}
		return query.Cell{Marginal: -1}
	}, w, clone(model), from, threshold, share)
}

// pureEpsilon returns the ε with ε·tanh(ε/2) = rho.
func pureEpsilon(rho float64) float64 {
	lo, hi := 0.0, 1+rho+math.Sqrt(2*rho)*2
	for range 100 {
		if mid := (lo + hi) / 2; mid*math.Tanh(mid/2) <= rho {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// LaplaceMaxCell answers solver.Published.
func (c Published) LaplaceMaxCell(stage string, round int, w query.Workload, model query.Answers, scale float64) (query.Cell, error) {
	charge := 2 / scale
	if !c.pure() {
		charge *= math.Tanh(charge / 2)
	}
	_, cells, err := w.Cells()
	if err != nil {
		return query.Cell{}, err
	}
	a := solver.Access{Stage: stage, Kind: dp.LaplaceMax, Noise: scale, Coordinates: 2 * cells}
	return ask(c.Curator, round, a, charge, func() query.Cell {
		return c.largest(w, model, func(e float64, _ query.Marginal, _ int, sign int8) float64 {
			return float64(sign)*e + scale*(c.rng.ExpFloat64()-c.rng.ExpFloat64())
		})
	}, w, clone(model), scale)
}
