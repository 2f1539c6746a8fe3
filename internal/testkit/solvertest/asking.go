package solvertest

import (
	"errors"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
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
	sum := 0.0
	for _, p := range precision {
		sum += p
	}
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

// MeasureVariance answers solver.Curator.
func (c *Curator) MeasureVariance(stage string, round int, cliques []domain.Clique, variance float64) ([]query.Measurement, error) {
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

// Keep answers solver.Curator.
func (c *Curator) Keep(stage string, round int, w query.Workload, model query.Answers, cell query.Cell, total, threshold float64, share dp.Share) (bool, error) {
	b, charge := c.selection(float64(w.LargestChange(c.budget.Neighbouring)), share)
	b /= -math.Expm1(-.05)
	a := solver.Access{Stage: stage, Kind: dp.Exponential, Share: share, Keeps: true}
	return ask(c, round, a, charge, func() bool {
		score := c.errors(w, model)[cell.Marginal][cell.Cell]
		if cell.Sign < 0 {
			score = c.opposite(w.Marginals[cell.Marginal], cell.Cell, total) - score
		}
		return c.rng.Float64() < math.Exp(-max(0, threshold-score)/b-.05)
	}, w, clone(model), cell, total, threshold, share)
}

// Votes answers solver.Curator.
func (c *Curator) Votes(stage string, round int, choice []int32, candidates int, share dp.Share) (query.Measurement, error) {
	charge, changes := share.Float()*c.budget.Capacity, float64(c.budget.Neighbouring.UnitChanges())
	v := changes * c.variance(1, charge)
	if c.pure() {
		v = c.variance(changes, charge)
	}
	all := make(domain.Clique, len(c.table.Sizes))
	for i := range all {
		all[i] = i
	}
	a := solver.Access{Stage: stage, Kind: c.additive(), Share: share, Marginals: 1, Cliques: []domain.Clique{all}, Coordinates: int64(candidates)}
	return ask(c, round, a, charge, func() query.Measurement {
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

// opposite returns the sum of an answer's error and its opposite's.
func (c *Curator) opposite(m query.Marginal, cell int, total float64) float64 {
	if c.budget.Neighbouring == dp.Replace {
		return 0
	}
	least, most := m.Bounds(cell)
	return (least + most) * (c.table.Units() - total)
}

// FirstAbove answers solver.Curator.
func (c *Curator) FirstAbove(stage string, round int, w query.Workload, model query.Answers, from int, threshold float64, share dp.Share) (query.Cell, error) {
	charge := share.Float() * c.budget.Capacity
	eps := charge
	if !c.pure() {
		eps = PureEpsilon(charge)
	}
	b := float64(w.LargestChange(c.budget.Neighbouring)) / eps
	laplace := func(scale float64) float64 { return scale * (c.rng.ExpFloat64() - c.rng.ExpFloat64()) }
	a := solver.Access{Stage: stage, Kind: dp.AboveThreshold, Share: share}
	return ask(c, round, a, charge, func() query.Cell {
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

// PureEpsilon returns the ε with ε·tanh(ε/2) = rho.
func PureEpsilon(rho float64) float64 {
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

// LaplaceMaxCell answers solver.Curator.
func (c *Curator) LaplaceMaxCell(stage string, round int, w query.Workload, model query.Answers, scale float64) (query.Cell, error) {
	charge := 2 / scale
	if !c.pure() {
		charge *= math.Tanh(charge / 2)
	}
	_, cells, err := w.Cells()
	if err != nil {
		return query.Cell{}, err
	}
	a := solver.Access{Stage: stage, Kind: dp.LaplaceMax, Noise: scale, Coordinates: 2 * cells}
	return ask(c, round, a, charge, func() query.Cell {
		return c.largest(w, model, func(e float64, _ query.Marginal, _ int, sign int8) float64 {
			return float64(sign)*e + scale*(c.rng.ExpFloat64()-c.rng.ExpFloat64())
		})
	}, w, clone(model), scale)
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
