package solvertest

import (
	"errors"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/solver"
)

// Total answers solver.Curator: exact and unrecorded under Replace.
func (c *Curator) Total(stage string, share dp.Share) (query.Total, error) {
	if c.budget.Neighbouring == dp.Replace {
		return query.Total{Units: c.table.Units()}, nil
	}
	charge := share.Float() * c.budget.Capacity
	v := c.variance(1, charge)
	return ask(c, 0, solver.Access{Stage: stage, Kind: c.additive(), Share: share, Coordinates: 1}, charge, func() query.Total {
		return query.Total{Units: c.table.Units() + c.noise(v), Variance: v}
	}, share)
}

// Measure answers solver.Curator.
func (c *Curator) Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error) {
	charge := share.Float() * c.budget.Capacity
	sum := summation.InOrder(precision)
	variance := make([]float64, len(cliques))
	for i := range cliques {
		part := 1 / float64(len(cliques))
		if precision != nil {
			part = precision[i] / sum
		}
		changes := float64(c.budget.Neighbouring.UnitChanges())
		if c.pure() {
			variance[i] = c.variance(changes, part*charge)
		} else {
			variance[i] = changes * c.variance(1, part*charge)
		}
	}
	a := solver.Access{Stage: stage, Kind: c.additive(), Share: share, Marginals: len(cliques), Cliques: cliques, Precision: precision}
	return c.measure(round, a, charge, cliques, variance)
}

func (c *Curator) measure(round int, a solver.Access, charge float64, cliques []domain.Clique, variance []float64) ([]query.Measurement, error) {
	h := c.answers(tables(c.table.Sizes, cliques))
	for i := range h {
		a.Coordinates += int64(len(h[i]))
	}
	return ask(c, round, a, charge, func() []query.Measurement {
		m := make([]query.Measurement, len(h))
		for i := range m {
			m[i] = query.Measurement{Clique: cliques[i], Values: make([]float64, len(h[i])), Variance: variance[i]}
			for j := range h[i] {
				m[i].Values[j] = h[i][j] + c.noise(variance[i])
			}
		}
		return m
	}, cliques, variance)
}

// MeasureQueries answers solver.Curator.
func (c *Curator) MeasureQueries(stage string, round int, w query.Workload, share dp.Share) ([]query.Measurement, error) {
	if c.pure() {
		return nil, errors.New("solvertest: Gaussian noise on a pure ledger")
	}
	charge, l2, n := share.Float()*c.budget.Capacity, 0.0, c.budget.Neighbouring
	for _, m := range w.Marginals {
		if m.Queries == nil {
			l2 += float64(n.UnitChanges())
			continue
		}
		x, _ := m.Queries.L2Squared(n).Float64()
		l2 += x
	}
	_, coordinates, err := w.Cells()
	if err != nil {
		return nil, err
	}
	v := l2 / (2 * charge)
	a := solver.Access{Stage: stage, Kind: dp.DiscreteGaussian, Share: share, Marginals: len(w.Marginals), Coordinates: coordinates, Adaptive: true}
	return ask(c, round, a, charge, func() []query.Measurement {
		out := make([]query.Measurement, len(w.Marginals))
		for i, h := range c.answers(w) {
			out[i] = query.Measurement{Clique: w.Marginals[i].Clique, Values: slices.Clone(h), Variance: v, Queries: w.Marginals[i].Queries}
			for j := range h {
				out[i].Values[j] += c.noise(v)
			}
		}
		return out
	}, w, share)
}

// gumbel returns a draw of the standard Gumbel law: adding one to each score and taking the largest is
// the exponential mechanism.
func (c *Curator) gumbel() float64 { return -math.Log(c.rng.ExpFloat64()) }

// selection returns the b of the exponential mechanism with range r at the given share, and its charge.
func (c *Curator) selection(r float64, share dp.Share) (b, charge float64) {
	charge = share.Float() * c.budget.Capacity
	if c.pure() {
		return r / charge, charge
	}
	return r / math.Sqrt(8*charge), charge
}

// SelectBlock answers solver.Curator.
func (c *Curator) SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error) {
	b, charge := c.selection(float64(w.BlockRange(c.budget.Neighbouring)), share)
	a := solver.Access{Stage: stage, Kind: dp.BlockExponential, Share: share}
	return ask(c, round, a, charge, func() query.Block {
		e := c.errors(w, model)
		best, at := math.Inf(-1), 0
		for i := range e {
			s := c.gumbel()
			for _, x := range e[i] {
				x = math.Abs(x / b)
				s += x + math.Log1p(math.Exp(-2*x)) - math.Ln2
			}
			if s > best {
				best, at = s, i
			}
		}
		signs := make([]int8, len(e[at]))
		for j, x := range e[at] {
			signs[j] = -1
			if c.rng.Float64() < 1/(1+math.Exp(-2*x/b)) {
				signs[j] = 1
			}
		}
		return query.Block{Marginal: at, Signs: signs}
	}, w, clone(model), share)
}

// SelectCell answers solver.Curator.
func (c *Curator) SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error) {
	b, charge := c.selection(float64(w.CellRange(c.budget.Neighbouring)), share)
	a := solver.Access{Stage: stage, Kind: dp.Exponential, Share: share}
	return ask(c, round, a, charge, func() query.Cell {
		return c.largest(w, model, func(e float64, m query.Marginal, cell int, sign int8) float64 {
			if sign < 0 {
				e = c.opposite(m, cell, total) - e
			}
			return e/b + c.gumbel()
		})
	}, w, clone(model), total, share)
}

// opposite returns the sum of an answer's error and its opposite's.
func (c *Curator) opposite(m query.Marginal, cell int, total float64) float64 {
	if c.budget.Neighbouring == dp.Replace {
		return 0
	}
	least, most := m.Bounds(cell)
	return (least + most) * (c.table.Units() - total)
}

func (c *Curator) largest(w query.Workload, model query.Answers, score func(e float64, m query.Marginal, cell int, sign int8) float64) query.Cell {
	e := c.errors(w, model)
	best, at := math.Inf(-1), query.Cell{}
	for i := range e {
		for j, x := range e[i] {
			for _, sign := range []int8{1, -1} {
				if s := score(x, w.Marginals[i], j, sign); s > best {
					best, at = s, query.Cell{Marginal: i, Cell: j, Sign: sign}
				}
			}
		}
	}
	return at
}

// MeanDistance answers solver.Curator.
func (c *Curator) MeanDistance(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MeanDistance, error) {
	charge, k := share.Float()*c.budget.Capacity, float64(len(w.Marginals))
	change := float64(query.SumOfDistancesChange(c.budget.Neighbouring, len(w.Marginals))) / k
	v := c.variance(change, charge)
	a := solver.Access{Stage: stage, Kind: c.additive(), Share: share, Coordinates: 1, Distances: len(w.Marginals)}
	return ask(c, 0, a, charge, func() query.MeanDistance {
		sum := 0.0
		for _, cells := range c.errors(w, model) {
			for _, x := range cells {
				sum += math.Abs(x) / k
			}
		}
		return query.MeanDistance{Counts: sum + c.noise(v), Variance: v}
	}, w, clone(model), share)
}

// MaxError answers solver.Curator.
func (c *Curator) MaxError(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MaxError, error) {
	charge := share.Float() * c.budget.Capacity
	v := c.variance(float64(w.LargestChange(c.budget.Neighbouring)), charge)
	a := solver.Access{Stage: stage, Kind: c.additive(), Share: share, Coordinates: 1, Worst: true}
	return ask(c, 0, a, charge, func() query.MaxError {
		e := c.errors(w, model)
		largest := 0.0
		for i := range e {
			for _, x := range e[i] {
				largest = max(largest, math.Abs(x))
			}
		}
		return query.MaxError{Counts: largest + c.noise(v), Variance: v}
	}, w, clone(model), share)
}
