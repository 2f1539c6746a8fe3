package bounds

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// tree10 is ten binary columns, all marginals of three, 10,000 units, ε = 1, δ = 1/n², Replace or AddRemove.
var tree10 = Setting{Cells: 1024, Queries: 1920, Width: 35.7, Units: 10_000, Epsilon: 1, Delta: 1e-8}

const rho10 = .017205 // zCDP budget of tree10

// The figures were computed by another program.
func TestGoldenValues(t *testing.T) {
	rate := func(method string) float64 {
		x, ok := Rate(method, tree10)
		must.Hold(t, ok, "%s has no rate", method)
		return x
	}
	ten, of10 := Multiplicative(1024, 960, 10_000, 1, 1, rho10*.93, 0)
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"mwem", rate("mwem"), .210},
		{"dualquery", rate("dualquery"), .304},
		{"fem", rate("fem"), .663},
		{"sepfem", rate("sepfem"), .497},
		{"dqrs", rate("dqrs"), .240},
		{"dpfw", rate("dpfw"), .160},
		{"dpam", rate("dpam"), .200},
		{"lower bound", LowerBound(tree10), .045},
		{"measured", Measured(math.Sqrt(120/(2*rho10)), 960, 10_000), .046},
		{"measured, adult7", Measured(math.Sqrt(35/(2*.01427)), 14_955, 48_842), .0065},
		{"least squares, adult7", LeastSquares(math.Sqrt(35/(2*.01427)), 336_000, 35, 48_842), .050},
		{"multiplicative weights", ten, .125},
	} {
		must.Hold(t, math.Abs(tt.got-tt.want) <= .02*tt.want, "%s: %.4g, want %.4g", tt.name, tt.got, tt.want)
	}
	if x, _ := Multiplicative(1024, 960, 10_000, 1, 1, rho10*.93, of10); x != ten {
		t.Errorf("at the best number of rounds, %.4g, the bound is %.4g, not %.4g", of10, x, ten)
	}
	for _, f := range []float64{.5, 2} {
		x, _ := Multiplicative(1024, 960, 10_000, 1, 1, rho10*.93, f*of10)
		must.Hold(t, x > ten, "%g times the best number of rounds has a bound of %.4g, below %.4g", f, x, ten)
	}
	_, ok := Rate("rake", tree10)
	must.Hold(t, !ok, "rake has a rate")
}

// The width from parts equals the width of normal numbers on the whole universe, within four standard errors: 1e-4 of false alarms.
func TestWidthIsThatOfTheUniverse(t *testing.T) {
	sizes := []int{2, 3, 4, 2}
	w := query.AllMarginals(sizes, 2, 1000).Cliques()
	mean, se := Width(sizes, w, 2000, 1)
	rng := rand.New(rand.NewPCG(7, 7))
	const draws = 2000
	sum, squares := 0.0, 0.0
	codes := make([]domain.Code, len(sizes))
	for range draws {
		tables := make([][]float64, len(w))
		for i, c := range w {
			n, _ := c.Cells(sizes)
			tables[i] = make([]float64, n)
		}
		for z := range 48 {
			left := z
			for a := len(sizes) - 1; a >= 0; a-- {
				codes[a], left = domain.Code(left%sizes[a]), left/sizes[a]
			}
			x := rng.NormFloat64()
			for i, c := range w {
				tables[i][c.Cell(sizes, codes)] += x
			}
		}
		worst := 0.0
		for _, table := range tables {
			for _, x := range table {
				worst = max(worst, math.Abs(x))
			}
		}
		sum, squares = sum+worst, squares+worst*worst
	}
	want := sum / draws
	wantSE := math.Sqrt((squares/draws - want*want) / draws)
	must.Hold(t, math.Abs(mean-want) <= 4*math.Hypot(se, wantSE), "width %.3f ± %.3f, by the universe %.3f ± %.3f", mean, se, want, wantSE)
}

// The published estimate for ten binary columns and all marginals of three is 35.7 ± .5.
func TestWidthOfTenColumns(t *testing.T) {
	sizes := []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	mean, se := Width(sizes, query.AllMarginals(sizes, 3, 1000).Maximal().Cliques(), 50, 1)
	must.Hold(t, math.Abs(mean-35.7) <= 4*math.Hypot(se, .5), "width %.2f ± %.2f, want 35.7 ± .5", mean, se)
}
