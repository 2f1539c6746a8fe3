package population

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// Table is one measured table of a log-linear model, with the potential that is fitted to it: a record
// z has weight ∝ base(z)·exp(Σ over tables of Theta[z_Clique]).
//
// The fit maximises entropy with a ridge on every potential: it minimises
//
//	Σ_z weight(z) + Σ over tables and cells of (½·Ridge·Theta² − Target·Theta),
//
// a strictly convex function of the potentials. At the optimum each cell satisfies
//
//	mass + Ridge·Theta = Target,
//
// so a small ridge makes the model match the target, and a large one leaves the cell to the other tables. Targets are
// constants. If a table's own changed with the model, as the sum of a measured residual and of the model's own
// margins would, there would be no such function, and raking diverges where cells ought to be below 0.
type Table struct {
	Clique domain.Clique
	Target []float64 // counts of cells; noise may take them below 0
	Ridge  []float64 // above 0, counts², per cell
	Theta  []float64 // the log-potential, per cell

	shape []int
}

// NewTable returns a table with potentials 0. target and ridge are kept, not copied.
func NewTable(sizes []int, c domain.Clique, target, ridge []float64) *Table {
	t := &Table{Clique: c, Target: target, Ridge: ridge, Theta: make([]float64, len(target)), shape: Shape(sizes, c)}
	if cells, err := c.Cells(sizes); err != nil || cells != int64(len(target)) || len(ridge) != len(target) {
		panic("population: a table needs one target and one ridge per cell")
	}
	return t
}

// Shape returns the sizes of the attributes of c.
func Shape(sizes []int, c domain.Clique) []int {
	return lists.Of(c, func(a int) int { return sizes[a] })
}

// negligibleMass is the mass in counts below which a cell's potential is not changed.
const negligibleMass = 1e-12

// Solve fits every cell given the model's present masses in counts: the least of the fit's objective over the
// potentials of this table. On return mass holds the factors by which the model's cells are to be multiplied, and
// Theta their logarithms added. The result is the L1 change of the table, in counts.
func (t *Table) Solve(mass []float64) float64 {
	change := 0.0
	for c, m := range mass {
		if m < negligibleMass {
			mass[c] = 1
			continue
		}
		step, factor := solveCell(m, t.Ridge[c], t.Theta[c], t.Target[c])
		t.Theta[c] += step
		mass[c] = factor
		change += math.Abs(factor-1) * m
	}
	return change
}

const (
	leastStep = -5   // so that one noisy cell cannot empty itself in a single visit
	shortStep = 1e-3 // a first step of Newton's method as short as this misses the root by half of its square
)

// solveCell returns δ with m·e^δ + s·(θ+δ) = t, and at least leastStep, and e^δ. The first step of Newton's method, from 0,
// ends right of the root of a convex function, and the others stay there: monotone. Most cells of a later sweep need
// no other step, and no exponential.
func solveCell(m, s, theta, t float64) (delta, factor float64) {
	a := t - s*theta
	delta = (a - m) / (m + s)
	if math.Abs(delta) < shortStep {
		return delta, 1 + delta*(1+delta*(1./2+delta/6))
	}
	if delta > .5 {
		delta = min(delta, math.Log(a/m))
	}
	for range 20 {
		if delta < leastStep {
			return leastStep, math.Exp(leastStep)
		}
		factor = math.Exp(delta)
		step := (m*factor + s*delta - a) / (m*factor + s)
		delta -= step
		if math.Abs(step) < 1e-4 {
			return delta, factor * (1 - step*(1-step/2))
		}
	}
	delta = max(delta, leastStep)
	return delta, math.Exp(delta)
}

// Center subtracts from x, row-major of the given shape, its mean along every axis in turn: the
// projection on the tables whose every axis sums to 0. About 2 ns per cell and axis.
func Center(x []float64, shape []int) {
	inner := 1
	for a := len(shape) - 1; a >= 0; a-- {
		if inner == 1 {
			centerLast(x, shape[a])
		} else {
			centerAxis(x, shape[a], inner)
		}
		inner *= shape[a]
	}
}

func centerLast(x []float64, size int) {
	for ; len(x) > 0; x = x[size:] {
		mean := summation.Pairwise(x[:size]) / float64(size)
		for i := range x[:size] {
			x[i] -= mean
		}
	}
}

func centerAxis(x []float64, size, inner int) {
	mean := make([]float64, inner)
	for ; len(x) > 0; x = x[size*inner:] {
		clear(mean)
		for j := 0; j < size; j++ {
			for i, v := range x[j*inner : (j+1)*inner] {
				mean[i] += v
			}
		}
		for i := range mean {
			mean[i] /= float64(size)
		}
		for j := 0; j < size; j++ {
			row := x[j*inner : (j+1)*inner]
			for i, v := range mean {
				row[i] -= v
			}
		}
	}
}
