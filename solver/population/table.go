package population

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Table is one measured table of a log-linear model, with the potential that is fitted to it: a record
// z has weight ∝ base(z)·exp(Σ over tables of Theta[z_Clique]).
//
// The fit maximises entropy with a ridge on every potential. At the optimum each cell satisfies
//
//	mass + Ridge·Theta = target,
//
// so a small ridge makes the model meet the datum, a large one leaves the cell to the other tables.
type Table struct {
	Clique    domain.Clique
	Values    []float64 // counts of cells, or for a centred table their measured residual
	Centred   bool      // Values is a residual: only the part of the table that no sub-table holds
	Precision float64   // 1/variance of a cell of Values, counts⁻²
	Ridge     []float64 // above 0, counts², per cell
	Theta     []float64 // the log-potential, per cell

	shape  []int
	target []float64
}

// NewTable returns a table with potentials 0. values and ridge are kept, not copied.
func NewTable(sizes []int, c domain.Clique, values, ridge []float64, precision float64, centred bool) *Table {
	t := &Table{Clique: c, Values: values, Centred: centred, Precision: precision, Ridge: ridge,
		Theta: make([]float64, len(values)), shape: Shape(sizes, c)}
	if cells, err := c.Cells(sizes); err != nil || cells != int64(len(values)) || len(ridge) != len(values) {
		panic("population: a table needs one value and one ridge per cell")
	}
	if centred {
		t.target = make([]float64, len(values))
	}
	return t
}

// Shape returns the sizes of the attributes of c.
func Shape(sizes []int, c domain.Clique) []int {
	s := make([]int, len(c))
	for i, a := range c {
		s[i] = sizes[a]
	}
	return s
}

// negligibleMass is the mass in counts below which a cell's potential is left alone.
const negligibleMass = 1e-12

// Solve fits every cell on its own, given the model's present masses in counts. On return mass holds
// the factors by which the model's cells are to be multiplied, and Theta their logarithms added. The
// result is the L1 change of the table, in counts.
func (t *Table) Solve(mass []float64) float64 {
	target := t.targets(mass)
	change := 0.0
	for c, m := range mass {
		if m < negligibleMass {
			mass[c] = 1
			continue
		}
		step := solveCell(m, t.Ridge[c], t.Theta[c], target[c])
		t.Theta[c] += step
		mass[c] = math.Exp(step)
		change += math.Abs(mass[c]-1) * m
	}
	return change
}

// targets returns the counts to meet. Of a centred table only the residual is measured: the model's own
// lower-order part is added, since the tables of lower order speak for it.
func (t *Table) targets(mass []float64) []float64 {
	if !t.Centred {
		return t.Values
	}
	copy(t.target, mass)
	Center(t.target, t.shape)
	for c, x := range t.target {
		t.target[c] = t.Values[c] + mass[c] - x
	}
	return t.target
}

// solveCell returns δ with m·e^δ + s·(θ+δ) = t, and at least −5 so that one noisy cell cannot empty
// itself in a single visit. Newton's method from the right of the root of a convex function: monotone.
func solveCell(m, s, theta, t float64) float64 {
	a := t - s*theta
	delta := 0.0
	if a >= m {
		delta = min(math.Log(a/m), (a-m)/s)
	}
	for range 20 {
		e := m * math.Exp(delta)
		step := (e + s*delta - a) / (e + s)
		delta -= step
		if math.Abs(step) < 1e-4 {
			break
		}
	}
	return max(delta, -5)
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
		mean := pairwiseSum(x[:size]) / float64(size)
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
