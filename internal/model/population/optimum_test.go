package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/optimize"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRakeFindsTheLeast: raking ends at the least of the objective that Table describes. That is found here by code
// which shares nothing with it: sums over the universe cell by cell, and gonum's L-BFGS on the potentials. The
// objective is strictly convex with a curvature of at least the least ridge, 2, so that a gradient of length g leaves
// potentials at most g/2 from the optimum.
func TestRakeFindsTheLeast(t *testing.T) {
	sizes := []int{3, 4, 2}
	const cells, total = 24, 1000.
	rng := rand.New(rand.NewPCG(35, 1))
	for range 5 {
		f := randomField(sizes, rng)
		var target, ridge []float64
		var at [][]int // at[z] are the potentials of cell z of the universe
		first := 0
		for z := range cells {
			at = append(at, nil)
			code := []int{z / 8, z / 2 % 4, z % 2}
			first = 0
			for _, table := range f.Tables {
				cell := 0
				for _, a := range table.Clique {
					cell = cell*sizes[a] + code[a]
				}
				at[z] = append(at[z], first+cell)
				first += len(table.Target)
			}
		}
		for _, table := range f.Tables {
			target, ridge = append(target, table.Target...), append(ridge, table.Ridge...)
		}
		weight := func(theta []float64, z int) float64 {
			sum := 0.0
			for _, i := range at[z] {
				sum += theta[i]
			}
			return total / cells * math.Exp(sum)
		}
		slope := func(grad, theta []float64) {
			for i, x := range theta {
				grad[i] = ridge[i]*x - target[i]
			}
			for z := range cells {
				w := weight(theta, z)
				for _, i := range at[z] {
					grad[i] += w
				}
			}
		}
		// An error of the line search means the end of floating-point precision: the gradient says how near that is.
		found, _ := optimize.Minimize(optimize.Problem{
			Func: func(theta []float64) (sum float64) {
				for i, x := range theta {
					sum += ridge[i]*x*x/2 - target[i]*x
				}
				for z := range cells {
					sum += weight(theta, z)
				}
				return sum
			},
			Grad: slope,
		}, make([]float64, first), &optimize.Settings{GradientThreshold: 1e-7, MajorIterations: 5000}, &optimize.LBFGS{})
		length, grad := 0.0, make([]float64, first)
		slope(grad, found.X)
		for _, g := range grad {
			length = math.Hypot(length, g)
		}
		must.Need(t, length <= 1e-3, "L-BFGS ended at a gradient of %g: the test is blind", length)

		f.Rake(Stop{Sweeps: 3000, Tolerance: 1e-9}, rng)
		i := 0
		for _, table := range f.Tables {
			for c, got := range table.Theta {
				must.Hold(t, math.Abs(got-found.X[i]) <= 1e-3, "table %v, cell %d: potential %g, of L-BFGS %g", table.Clique, c, got, found.X[i])
				i++
			}
		}
		for z, got := range f.Model.Weights {
			want := weight(found.X, z)
			must.Hold(t, math.Abs(got-want) <= 1e-3*want, "cell %d: weight %g, of L-BFGS %g", z, got, want)
		}
	}
}
