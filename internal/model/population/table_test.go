package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestSolveCellMeetsItsEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 1))
	for range 20_000 {
		m, s := math.Exp(8*rng.NormFloat64()), math.Exp(4*rng.NormFloat64())
		theta, target := 2*rng.NormFloat64(), 1000*rng.NormFloat64()
		delta, factor := solveCell(m, s, theta, target)
		must.Need(t, math.Abs(factor/math.Exp(delta)-1) <= 1e-12, "m %g s %g θ %g target %g: the factor of δ %g is %g", m, s, theta, target, delta, factor)
		f := func(d float64) float64 { return m*math.Exp(d) + s*(theta+d) - target }
		if delta == leastStep {
			must.Need(t, f(-5) >= 0, "m %g s %g: stopped at −5 right of the root", m, s)
			continue
		}
		// The last Newton step is below 1e-4 and the error after it of that step's square; where twenty steps
		// do not get there the sign still changes within .01.
		must.Need(t, f(delta-.01) <= 0 && f(delta+.01) >= 0, "m %g s %g θ %g target %g: δ %g is not the root", m, s, theta, target, delta)
	}
}

func TestSolveReportsItsChange(t *testing.T) {
	sizes := []int{2, 2}
	table := NewTable(sizes, domain.Clique{0}, []float64{30, 70}, []float64{1e-6, 1e-6})
	mass := []float64{50, 0}
	change := table.Solve(mass)
	must.Hold(t, math.Abs(mass[0]-.6) <= 1e-4 && mass[1] == 1 && math.Abs(change-20) <= .01, "factors %v, change %g", mass, change)
	must.Hold(t, math.Abs(table.Theta[0]-math.Log(.6)) <= 1e-4 && table.Theta[1] == 0, "potentials %v", table.Theta)
}

func TestCenterIsTheProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, shape := range [][]int{{4}, {3, 5}, {5, 1}, {2, 3, 4}, {1, 7, 2}, {}} {
		cells := 1
		for _, s := range shape {
			cells *= s
		}
		x := make([]float64, cells)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		once := append([]float64(nil), x...)
		Center(once, shape)
		for stride, a := 1, len(shape)-1; a >= 0; a-- { // every axis sums to 0
			for start := range once {
				if start/stride%shape[a] != 0 {
					continue
				}
				sum := 0.0
				for v := 0; v < shape[a]; v++ {
					sum += once[start+v*stride]
				}
				must.Need(t, math.Abs(sum) <= 1e-12, "shape %v axis %d sums to %g", shape, a, sum)
			}
			stride *= shape[a]
		}
		twice, inner := append([]float64(nil), once...), 0.0
		Center(twice, shape)
		closeTo(t, "idempotent", twice, once)
		for i := range x { // what was taken off is orthogonal to what is left
			inner += (x[i] - once[i]) * once[i]
		}
		must.Hold(t, math.Abs(inner) <= 1e-12, "shape %v: not orthogonal, %g", shape, inner)
	}
}

func TestApportion(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for range 500 {
		p := make([]float64, 1+rng.IntN(8))
		total := 0.0
		for i := range p {
			p[i] = max(0, rng.NormFloat64())
			total += p[i]
		}
		n := rng.IntN(40)
		got := Apportion(p, n, []int32{-1}, rng)
		must.Need(t, len(got) == n+1 && got[0] == -1, "%d indices after the given one, want %d", len(got)-1, n)
		count := make([]float64, len(p))
		for _, i := range got[1:] {
			count[i]++
		}
		for i := range p {
			share := float64(n) * p[i] / total
			must.Need(t, total <= 0 || math.Abs(count[i]-share) < 1+1e-9 && (p[i] != 0 || count[i] <= 0),
				"p %v n %d: index %d comes %g times, share %g", p, n, i, count[i], share)
		}
	}
}

// TestApportionIsUnbiased: 20,000 draws of 3; a count has a standard deviation below 1, its mean below
// .0071; 6 of them make .043.
func TestApportionIsUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	p := []float64{.1, .5, 0, 1.7, .7}
	mean := make([]float64, len(p))
	for range 20_000 {
		for _, i := range Apportion(p, 3, nil, rng) {
			mean[i] += 1. / 20_000
		}
	}
	for i := range p {
		must.Hold(t, math.Abs(mean[i]-p[i]) <= .043, "index %d: mean %g, want %g", i, mean[i], p[i])
	}
}
