package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpam"
)

// alike returns every marginal of exactly the given width, each measured with the same variance.
func alike(sizes []int, width int, variance float64) (noisy []Noisy, cliques []domain.Clique) {
	for _, m := range query.AllMarginals(sizes, width, math.MaxInt64).Marginals {
		if len(m.Clique) == width {
			noisy = append(noisy, Noisy{Clique: m.Clique, Variance: variance})
			cliques = append(cliques, m.Clique)
		}
	}
	return noisy, cliques
}

// The prediction for the sizes of a public table of 48,842 people, all triples at ε = 1, against the
// error measured there: 0.0231.
func TestAverageTVOfAKnownTable(t *testing.T) {
	sizes := []int{16, 7, 15, 5, 2, 2, 10}
	noisy, cliques := alike(sizes, 3, 35/(2*0.01427))
	must.Need(t, len(cliques) == 35, "%d triples", len(cliques))
	got := AverageTV(sizes, noisy, cliques, 48842)
	must.Hold(t, math.Abs(got/0.0231-1) <= 0.1, "predicted %.4f, measured 0.0231", got)
}

// More noise or fewer units never make a prediction better; it stays a total variation.
func TestAverageTVIsMonotone(t *testing.T) {
	sizes := []int{4, 9, 2, 6}
	before := 0.0
	for _, variance := range []float64{1e-6, 1, 100, 1e4, 1e8, 1e300} {
		noisy, cliques := alike(sizes, 2, variance)
		got := AverageTV(sizes, noisy, cliques, 1000)
		must.Hold(t, got >= before && got <= 1, "variance %g: %g after %g", variance, got, before)
		fewer := AverageTV(sizes, noisy, cliques, 100)
		must.Hold(t, fewer >= got, "variance %g: %g with 1000 units, %g with 100", variance, got, fewer)
		before = got
	}
	must.Hold(t, before >= 0.1, "with nothing but noise the prediction is %g", before)
}

// Columns of one cell have nothing to err in.
func TestAverageTVOfTrivialColumns(t *testing.T) {
	for _, sizes := range [][]int{{1}, {1, 1}, {1, 5}, {5, 1, 7}} {
		noisy, cliques := alike(sizes, min(2, len(sizes)), 50)
		got := AverageTV(sizes, noisy, cliques, 1000)
		must.Hold(t, !math.IsNaN(got) && got >= 0 && got <= 1, "sizes %v: %g", sizes, got)
		must.Hold(t, product(sizes) != 1 || got == 0, "sizes %v: %g, want 0", sizes, got)
	}
	five, cliques := alike([]int{5}, 1, 50)
	with, both := alike([]int{1, 5}, 2, 50)
	a, b := AverageTV([]int{5}, five, cliques, 1000), AverageTV([]int{1, 5}, with, both, 1000)
	must.Hold(t, math.Abs(a-b) <= 1e-12, "a column of one cell changes the prediction from %g to %g", a, b)
}

func product(sizes []int) int {
	p := 1
	for _, s := range sizes {
		p *= s
	}
	return p
}

// A long workload is looked at in part; the prediction hardly moves.
func TestAverageTVOfALongWorkload(t *testing.T) {
	sizes := make([]int, 40)
	for i := range sizes {
		sizes[i] = 2 + i%5
	}
	noisy, cliques := alike(sizes, 2, 500)
	p := predictor{sizes: sizes, units: 20000, measured: noisy, parts: map[string]float64{}}
	whole := 0.0
	for _, c := range cliques {
		whole += math.Min(1, p.marginal(c)) / float64(len(cliques))
	}
	must.Need(t, len(cliques) > maxPredicted, "%d marginals are not many", len(cliques))
	got := AverageTV(sizes, noisy, cliques, 20000)
	must.Hold(t, math.Abs(got/whole-1) <= 0.1, "a sample of the marginals gives %g, all of them %g", got, whole)
}

// A release's measured error scales predictions: all of it at its own ε and units, half of its logarithm at ten times either,
// next to nothing if noise hides the error, and nothing without an error. Other targets than the workload's keep theirs.
func TestScale(t *testing.T) {
	p := problem(3, 4, 5, 6, 2)
	m := must.Value(methods.Lookup("rake"))(t)
	like := &solver.Pattern{Model: &population.Model{Sizes: p.Workload.Sizes, Weights: []float64{3, 2, 1}, Columns: [][]domain.Code{{0, 1, 2}, {0, 3, 1}, {5, 0, 2}, {0, 1, 1}}}}
	at := func(epsilon dp.Epsilon, units float64, t Target) float64 {
		q := p
		q.Epsilon, q.Units = epsilon, units
		return errorAt(q, m, t, like)
	}
	plain := at(1, p.Units, Target{})
	tenfold, wide, column := at(10, p.Units, Target{}), at(1, 10*p.Units, Target{}), at(1, p.Units, Target{Width: 1})
	for _, c := range []struct{ of, sd, low, high float64 }{
		{.5, 0, .5, .5},
		{2, 1e-6, 2 - 1e-6, 2 + 1e-6},
		{2, 2 * scatterOfLike, 1.414, 1.415}, // the noise is as large as the scatter of predictions: half of it
		{.5, 5, .99, 1},
		{8, 80, 1, 1.01},
		{-.5, 1, 1, 1}, {0, .1, 1, 1}, // noise may be below 0
	} {
		Scale(p, m, like, c.of*plain, c.sd*plain)
		if got := at(1, p.Units, Target{}) / plain; !(c.low-1e-12 <= got && got <= c.high+1e-12) {
			t.Errorf("measured %g ± %g times the prediction: scaled by %.4f; want %g to %g", c.of, c.sd, got, c.low, c.high)
		}
	}
	Scale(p, m, like, .25*plain, 0)
	Scale(p, m, like, .25*plain, 0) // of the prediction without a scale
	for name, got := range map[string]float64{
		"of itself": at(1, p.Units, Target{}) / plain / .25, "at ten times ε": at(10, p.Units, Target{}) / tenfold / .5,
		"of ten times the units": at(1, 10*p.Units, Target{}) / wide / .5, "of columns": at(1, p.Units, Target{Width: 1}) / column,
	} {
		must.Hold(t, math.Abs(got-1) <= 1e-9, "%s: %.6f of what is wanted", name, got)
	}
}

// TestNearConstants: of tables of which 90 to 99 % have one value in each column, most errors by dpam are between a third and three times
// the forecast for such tables; that of a typical table is up to 14 times as large.
func TestNearConstants(t *testing.T) {
	m := must.Value(methods.Lookup("dpam"))(t)
	within, all, sum := 0, 0, 0.0
	for i, same := range []float64{.9, .97, .99} {
		for j, n := range []int{2000, 20_000} {
			for k, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
				table, rng := solvertest.NewTable(6, 4, 5, 6), rand.New(rand.NewPCG(uint64(i), uint64(j)))
				for range n {
					cell := 0
					for _, size := range table.Sizes {
						if cell *= size; rng.Float64() > same {
							cell += rng.IntN(size)
						}
					}
					table.Counts[cell]++
				}
				p := solvertest.Problem(table, 3, dp.AddRemove, epsilon, false)
				p.Units = float64(n)
				l, measured, err := Charge(p, m, nil)
				must.Do(t, err)
				run := solvertest.Run(t, table, p, l.Budget().Accounting, l.Budget().Capacity, uint64(4*all+k), func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
					return dpam.Settings{}.Solve(p, c)
				})
				ratio := least(p, m, l, measured) / run.TV
				t.Logf("%g, %d people, ε = %g: %.4f, foretold %.2f times that", same, n, float64(epsilon), run.TV, ratio)
				if all++; ratio > 1./3 && ratio < 3 {
					within++
				}
				sum += math.Log(ratio)
			}
		}
	}
	mean := math.Exp(sum / float64(all))
	must.Hold(t, within >= all*4/5 && mean >= .6 && mean <= 1.8, "%d of %d forecasts are within a factor of three, %.2f of the error in the mean", within, all, mean)
}
