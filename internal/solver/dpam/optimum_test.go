package dpam

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestOptimum: without its stopping rule the descent goes to the least loss. That is found here by code which shares
// nothing with it: sums over the universe cell by cell, and gonum's L-BFGS on the logarithms of the weights. The gap
// of the convex loss bounds how far that is from the least.
func TestOptimum(t *testing.T) {
	const total, variance = 10_000, 400
	sizes := []int{3, 4, 2, 3}
	cliques := []domain.Clique{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}}
	rng := rand.New(rand.NewPCG(1, 2))
	cells := 3 * 4 * 2 * 3
	truth := make([]float64, cells)
	sum := 0.0
	for z := range truth {
		truth[z] = rng.ExpFloat64() + .2
		sum += truth[z]
	}
	at := make([][]int, len(cliques)) // at[i][z] is the cell of table i that cell z of the universe belongs to
	var ms []query.Measurement
	for i, c := range cliques {
		at[i] = make([]int, cells)
		m := query.Measurement{Clique: c, Values: make([]float64, sizes[c[0]]*sizes[c[1]]), Variance: variance * float64(1+i)}
		for z := range cells {
			code := []int{z / 24, z / 6 % 4, z / 3 % 2, z % 3}
			at[i][z] = code[c[0]]*sizes[c[1]] + code[c[1]]
			m.Values[at[i][z]] += total * truth[z] / sum
		}
		for k := range m.Values {
			m.Values[k] += math.Sqrt(m.Variance) * rng.NormFloat64()
		}
		ms = append(ms, m)
	}
	precision := 0.0
	for _, m := range ms {
		precision += 1 / m.Variance
	}
	loss := func(x, slope []float64) (f float64) {
		clear(slope)
		for i, m := range ms {
			q := make([]float64, len(m.Values))
			for z, w := range x {
				q[at[i][z]] += w
			}
			for k, y := range m.Values {
				q[k] -= y / total
				f += q[k] * q[k] / m.Variance / precision / 2
			}
			for z := range slope {
				slope[z] += q[at[i][z]] / m.Variance / precision
			}
		}
		return f
	}
	weights := func(theta []float64) []float64 {
		x, sum := make([]float64, cells), 0.0
		for z, v := range theta {
			x[z] = math.Exp(v)
			sum += x[z]
		}
		for z := range x {
			x[z] /= sum
		}
		return x
	}
	const scale = 1e4 // of a loss of about 1e-5
	gap := func(x, slope []float64) (mean, g float64) {
		for z, w := range x {
			mean += w * slope[z]
		}
		return mean, mean - slices.Min(slope)
	}
	slope := make([]float64, cells)
	// The line search errs at the end of floating-point numbers: the gap says how near that is.
	found, _ := optimize.Minimize(optimize.Problem{
		Func: func(theta []float64) float64 { return scale * loss(weights(theta), slope) },
		Grad: func(grad, theta []float64) {
			x := weights(theta)
			loss(x, slope)
			mean, _ := gap(x, slope)
			for z := range grad {
				grad[z] = scale * x[z] * (slope[z] - mean)
			}
		},
	}, make([]float64, cells), &optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 5000}, &optimize.LBFGS{})
	x := weights(found.X)
	least := loss(x, slope)
	_, g := gap(x, slope)
	must.Need(t, g <= 1e-9, "L-BFGS ended at most %g above the least loss: the test is blind", g)

	plan := dense.NewPlan(sizes, cliques)
	d := start(dense.NewOracle(plan), newRisk(plan, ms, total, FitSettings{Seed: 1}))
	for range 3000 {
		d.step()
	}
	got := d.loss()
	must.Hold(t, math.Abs(got-least) <= 1e-9, "loss %.3g after 3000 steps; the least is %.3g", got, least)
	t.Logf("loss %.6g, of L-BFGS %.6g, gap %.2g", d.loss(), least, g)
}
