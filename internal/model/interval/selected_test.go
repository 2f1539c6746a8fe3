package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// TestCoverage: of tables that are fitted by selection, diagonals and columns that hardly vary, 90 to 99 % of the intervals of values
// with people hold, and of cells of pairs. The same holds of pairs inside a triple with a function of two columns, or a copy, by either
// method. No end of a cell is further than 5 half widths from the truth. Fixed seeds.
func TestCoverage(t *testing.T) {
	diagonal := func(r *rand.Rand, people int) *solvertest.Table {
		table := solvertest.NewTable(20+r.IntN(20), 20+r.IntN(20))
		wide, power := 2+r.IntN(8), .7+r.Float64()
		for range people {
			x := int(float64(table.Sizes[0]) * math.Pow(r.Float64(), power))
			table.Counts[x*table.Sizes[1]+(x+r.IntN(wide))%table.Sizes[1]]++
		}
		return table
	}
	constant := func(r *rand.Rand, people int) *solvertest.Table {
		table, rare := solvertest.NewTable(3, 3, 3), math.Pow(10, -1-2*r.Float64()) // nobody has the third values
		for range people {
			table.Counts[9*int(r.Float64()+rare)+3*int(r.Float64()+.5)+int(r.Float64()+rare)]++
		}
		return table
	}
	function := func(r *rand.Rand, people int) *solvertest.Table {
		k, x := 3+r.IntN(6), 1+r.IntN(9)
		table := solvertest.NewTable(k, 4, 4*k)
		for range people {
			a, b := r.IntN(k), r.IntN(4)
			table.Counts[(4*a+b)*4*k+(x*a+3*b)%(4*k)]++
		}
		return table
	}
	copied := func(r *rand.Rand, people int) *solvertest.Table {
		k := 5 + r.IntN(20)
		table := solvertest.NewTable(k, 3, k)
		for range people {
			a := int(float64(k) * r.Float64() * r.Float64())
			table.Counts[(3*a+r.IntN(3))*k+a]++
		}
		return table
	}
	type method = func(solver.Problem, *solvertest.Curator) (*solver.Result, error)
	bySelection := func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) }
	byAnswers := func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpam.Solve(p, c) }
	for _, kind := range []struct {
		name    string
		seeds   uint64
		of      func(r *rand.Rand, people int) *solvertest.Table
		epsilon dp.Epsilon
		solve   method
	}{{"diagonals", 16, diagonal, .3, bySelection}, {"diagonals", 16, diagonal, 1, bySelection}, {"near constants", 100, constant, .3, bySelection}, {"near constants", 100, constant, 1, bySelection},
		{"functions", 16, function, 1, bySelection}, {"functions", 16, function, 1, byAnswers}, {"copies", 16, copied, 1, bySelection}, {"copies", 16, copied, 1, byAnswers}} {
		held, all, farthest := [4]float64{}, [4]float64{}, 0.0
		for seed := range kind.seeds {
			table := kind.of(rand.New(rand.NewPCG(seed, 61)), []int{4000, 30_000}[seed%2])
			p := solvertest.Problem(table, 3, dp.AddRemove, kind.epsilon, false)
			p.Delta = 1e-9
			result := must.Value(kind.solve(p, solvertest.CuratorFor(table, p, dp.ZCDP, seed)))(t)
			v, truth := New(result), &population.Model{Sizes: table.Sizes, Weights: table.Counts}
			scale := result.Total.Units / truth.Total()
			for _, c := range p.Workload.Cliques() {
				fitted := result.Model.Marginal(c, nil)
				for i := range fitted {
					fitted[i] *= result.Total.Units / result.Model.Total()
				}
				se := v.StandardErrors(c, fitted, nil)
				highs := v.Highs(c, fitted, se, nil)
				for i, n := range truth.Marginal(c, nil) {
					if n == 0 { // whose interval holds by construction
						continue
					}
					all[len(c)]++
					low := fitted[i] - sigmas95*se[i]
					if off := math.Abs(scale*n-(low+highs[i])/2) / ((highs[i] - low) / 2); off <= 1 {
						held[len(c)]++
					} else if len(c) > 1 {
						farthest = max(farthest, off)
					}
				}
			}
		}
		t.Logf("%s, ε = %g: %.1f %% of %g values hold, and %.1f %% of %g cells, off by up to %.1f half widths", kind.name, float64(kind.epsilon),
			100*held[1]/all[1], all[1], 100*held[2]/all[2], all[2], farthest)
		for width := 1; width <= 2; width++ {
			share := held[width] / all[width]
			must.Hold(t, share >= .9 && share <= .99, "%s, ε = %g: %.1f %% of the cells of %d columns hold", kind.name, float64(kind.epsilon), 100*share, width)
		}
		must.Hold(t, farthest <= 5, "%s, ε = %g: a cell is %.1f half widths off", kind.name, float64(kind.epsilon), farthest)
	}
}
