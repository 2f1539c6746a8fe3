package dpfw

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// TestAnswers: the counts that the signs tell are off by what is said of them, in the root mean square of all cells of a release to a quarter,
// over tables of two to four columns with people in all, in few or in one of the cells, from ε = .3 to 10, both relations, zCDP and
// pure. Of zCDP the fit holds, and even weights do not, where people are in few cells and ε = 1 or more; the few rounds of pure DP do not fit
// such tables. The noise is fixed: no chance.
func TestAnswers(t *testing.T) {
	sizes := [][]int{{7, 9}, {30, 30}, {2, 3, 40}, {3, 4, 2, 5}}
	for i, eps := range []dp.Epsilon{.3, 1, 3, 10} {
		for k, few := range []bool{false, true} {
			for _, r := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
				for _, a := range []dp.Accounting{dp.ZCDP, dp.Pure} {
					rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
					table := solvertest.RandomTable(rng, 4000, sizes[(i+k)%4]...)
					if few {
						table = solvertest.NewTable(sizes[(i+k)%4]...)
						for range 4000 {
							table.Counts[rng.IntN(3)*len(table.Counts)/3]++
						}
					}
					p, capacity := solvertest.Problem(table, 3, r, eps, a == dp.Pure), float64(eps)
					if a == dp.ZCDP {
						capacity = []float64{.001, .01, .1, 1}[i]
					}
					pl := must.Value(Settings{}.plan(p))(t)
					c := solvertest.NewCurator(table, dp.Budget{Neighbouring: r, Accounting: a, Capacity: capacity}, uint64(i))
					run := pl.newRun(table.Units())
					m := &population.Model{Sizes: pl.maximal.Sizes, Weights: must.Value(run.descend(nil, c))(t)}
					truth := &population.Model{Sizes: pl.maximal.Sizes, Weights: table.Counts}
					square, cells := 0.0, 0.0
					for _, x := range run.told.answers(pl.maximal, m.Marginals(pl.maximal.Cliques()), pl.scale(c.Budget())) {
						for j, n := range truth.Marginal(x.Clique, nil) {
							square, cells = square+(x.Values[j]-n)*(x.Values[j]-n)/x.Variance, cells+1
						}
					}
					off := math.Sqrt(square / cells)
					must.Hold(t, off >= .75 && off <= 1.25, "ε = %g, %v, %v, few %t: answers are off by %.2f of their errors", float64(eps), r, a, few, off)
					if fit := run.test(m, pl.scale(c.Budget())); a == dp.ZCDP && !fit.Holds() {
						t.Errorf("ε = %g, %v, %v, few %t: the fit is off by %.0f of %.0f", float64(eps), r, a, few, fit.Square, fit.Freedom)
					}
					copy(m.Weights, dense.Uniform(pl.maximal.Sizes, nil))
					for z := range m.Weights {
						m.Weights[z] *= table.Units()
					}
					if fit := run.test(m, pl.scale(c.Budget())); few && eps >= 1 && fit.Holds() {
						t.Errorf("ε = %g, %v, %v: even weights are off by %.0f of %.0f, and fit", float64(eps), r, a, fit.Square, fit.Freedom)
					}
				}
			}
		}
	}
}

// TestNothingTold: the average stays where no round was kept, or memory is short.
func TestNothingTold(t *testing.T) {
	table := solvertest.NewTable(30, 30)
	for i := range 30 {
		table.Counts[31*i] = 100
	}
	p := solvertest.Problem(table, 2, dp.AddRemove, 1, false)
	pl := must.Value(Settings{}.plan(p))(t)
	c := solvertest.NewCurator(table, dp.Budget{Neighbouring: dp.AddRemove, Accounting: dp.ZCDP, Capacity: 1}, 1)
	run := pl.newRun(table.Units())
	weights := must.Value(run.descend(nil, c))(t)
	average, kept := slices.Clone(weights), run.told
	for _, none := range []bool{true, false} {
		q := p
		if run.told = kept; none {
			run.told = told{}
		} else {
			q.MemoryLimit = 900 * bytesPerCell
		}
		must.Do(t, run.thin(q, weights, pl.scale(c.Budget())))
		must.Hold(t, slices.Equal(weights, average), "nothing told %t: the average has changed", none)
	}
	must.Do(t, run.thin(p, weights, pl.scale(c.Budget())))
	must.Hold(t, !slices.Equal(weights, average), "the average has not changed, though most cells are told to be empty")
}
