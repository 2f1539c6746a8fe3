package accountant

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// centredOf returns the residual of a table of the given shape, its Δ² by brute force over neighbours.
func centredOf(n dp.Neighbouring, shape []int, precision float64) Centred {
	cells, left := 1, big.NewRat(1, 1)
	for _, k := range shape {
		cells *= k
		left.Mul(left, big.NewRat(int64(k-1), int64(k)))
	}
	l2 := new(big.Rat)
	neighbours(n, cells, 1, func(d []int64) {
		centreBy(d, shape)
		if s := big.NewRat(square(d), int64(cells*cells)); s.Cmp(l2) > 0 {
			l2 = s
		}
	})
	return Centred{Precision: precision, Left: left, L2Squared: l2, Axes: len(shape), Cells: int64(cells)}
}

// neighbours visits the differences of neighbours' tables, each record worth the given steps.
func neighbours(n dp.Neighbouring, cells int, steps int64, visit func(d []int64)) {
	for x := range cells {
		for y := range cells {
			d := make([]int64, cells)
			d[x] = steps
			if n == dp.Replace {
				d[y] -= steps
			}
			visit(d)
			if n == dp.AddRemove {
				break
			}
		}
	}
}

// centreBy applies Π(k − J) to a row-major table.
func centreBy(x []int64, shape []int) {
	for axis, k := range shape {
		eachLine(x, shape, axis, func(line []*int64) {
			sum := int64(0)
			for _, y := range line {
				sum += *y
			}
			for _, y := range line {
				*y = *y*int64(k) - sum
			}
		})
	}
}

// eachLine visits the lines of a table along an axis.
func eachLine(x []int64, shape []int, axis int, visit func(line []*int64)) {
	stride := 1
	for _, k := range shape[axis+1:] {
		stride *= k
	}
	for i := range x {
		if i/stride%shape[axis] > 0 {
			continue
		}
		line := make([]*int64, shape[axis])
		for v := range line {
			line[v] = &x[i+v*stride]
		}
		visit(line)
	}
}

func square(x []int64) (s int64) {
	for _, y := range x {
		s += y * y
	}
	return s
}

var shapes = [][]int{{2}, {5}, {2, 2}, {2, 3}, {3, 4}, {2, 2, 2}, {4, 3, 2}, {3, 3, 3}, {2, 2, 3, 2}}

// TestOnGridIsAttainable follows the proof of OnGrid: for each pair of neighbours there is an integer table v
// with Cv = Cd and ‖v‖² within what is charged. At coarse grids rounding matters, at fine ones hardly.
func TestOnGridIsAttainable(t *testing.T) {
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		for _, shape := range shapes {
			m := centredOf(n, shape, 1)
			for _, bits := range []int{0, 1, 2, 3, 5, 9} {
				paid := new(big.Rat).Mul(m.OnGrid(bits), power(2*bits))
				neighbours(n, int(m.Cells), 1<<bits, func(d []int64) {
					v := stripped(d, shape, m.Cells)
					norm := big.NewRat(square(v), 1)
					must.Hold(t, norm.Cmp(paid) <= 0, "%v %v bits %d: ‖v‖² = %v steps², paid for %v", n, shape, bits, norm, paid.FloatString(3))
					centreBy(v, shape)
					centreBy(d, shape)
					must.Need(t, slices.Equal(v, d), "%v %v bits %d: Cv differs from Cd", n, shape, bits)
				})
			}
			if fine := new(big.Rat).Quo(m.OnGrid(30), m.L2Squared); fine.Cmp(big.NewRat(1, 1)) <= 0 || floatUp(fine) > 1+1e-6 {
				t.Errorf("%v %v: on a fine grid Δ² rises by the factor %v", n, shape, fine.FloatString(9))
			}
		}
	}
}

// TestOnGridPaysForEveryAxis: what is charged is the formula of OnGrid, rounded up to its grid and no further. The
// tables above attain less, since the axes' roundings rarely add up.
func TestOnGridPaysForEveryAxis(t *testing.T) {
	for _, shape := range shapes {
		m := centredOf(dp.AddRemove, shape, 1)
		exact, _ := m.L2Squared.Float64()
		for _, bits := range []int{0, 2, 5, 9} {
			radius := math.Sqrt(exact) + float64(len(shape))*math.Sqrt(float64(m.Cells))/2*math.Ldexp(1, -bits)
			got, _ := m.OnGrid(bits).Float64()
			want := radius * radius
			must.Hold(t, near(got, want, 1e-11*want), "%v bits %d: %.15g charged, want %.15g", shape, bits, got, want)
		}
	}
}

// stripped returns d − Σ round(f_i), with f_i the parts constant along an axis; all in units of 1/cells.
func stripped(d []int64, shape []int, cells int64) []int64 {
	v, rest := slices.Clone(d), slices.Clone(d)
	for i := range rest {
		rest[i] *= cells
	}
	for axis, k := range shape {
		part := slices.Clone(rest)
		eachLine(part, shape, axis, func(line []*int64) {
			sum := int64(0)
			for _, y := range line {
				sum += *y
			}
			for _, y := range line {
				*y = sum / int64(k) // exact: cells has the factor k for each axis once
			}
		})
		for i, f := range part {
			rest[i] -= f
			v[i] -= int64(math.Floor(float64(f)/float64(cells) + .5))
		}
	}
	return v
}
