package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// TestRareOutcomes: of many people with a rare outcome that depends on a column, 90 to 99 % of the counts of people with the outcome
// hold the truth, alone and by one or two columns, asked as a query asks them. Fixed seeds.
func TestRareOutcomes(t *testing.T) {
	held, all, farthest := [4]float64{}, [4]float64{}, 0.0
	for seed := range uint64(96) {
		r := rand.New(rand.NewPCG(seed, 67))
		table := solvertest.NewTable([][]int{{2, 2, 2}, {2, 2, 2, 12}, {2, 2, 2, 5, 3}, {3, 4, 2}}[seed/2%4]...)
		sizes, people := table.Sizes, []int{20_000, 60_000, 200_000}[r.IntN(3)]
		rare, ratio := math.Pow(10, -2-1.3*r.Float64()), math.Pow(20, r.Float64()*float64(r.IntN(2)))
		for range people {
			x, y, outcome := r.IntN(sizes[0]), r.IntN(sizes[1]), 0
			if p := rare * math.Sqrt(ratio); y == 1 && r.Float64() < p || y != 1 && r.Float64() < p/ratio {
				outcome = 1
			}
			cell := (x*sizes[1]+y)*2 + outcome
			for _, k := range sizes[3:] {
				cell = cell*k + r.IntN(k)
			}
			table.Counts[cell]++
		}
		p := solvertest.Problem(table, 3, dp.AddRemove, []dp.Epsilon{.3, 1, 3}[seed/8%3], false)
		p.Delta = []dp.Delta{0, 1e-9}[seed%2]
		result := must.Value(dpam.Solve(p, solvertest.CuratorFor(table, p, dp.ZCDP, seed)))(t)
		v, truth := New(result), &population.Model{Sizes: sizes, Weights: table.Counts}
		for _, c := range []domain.Clique{{2}, {0, 2}, {1, 2}, {0, 1, 2}} {
			of := Table{Clique: c, Codes: make([][]domain.Code, len(c))}
			of.AddMarginal(sizes, result.Model.Marginal(c, nil), result.Total.Units/result.Model.Total())
			l := v.Linear(of)
			for i, n := range truth.Marginal(c, nil) {
				if i%2 == 0 || n == 0 {
					continue
				}
				variance, _ := l.Variance([]int{i}, []float64{1}, false)
				se := math.Sqrt(variance)
				sigmas := SigmasAbove(of.Fitted[i], se)
				low, high := max(0, of.Fitted[i]-sigmas95*se), of.Fitted[i]+max(sigmas*se, l.High([]int{i}, []float64{1}, sigmas))
				off := math.Abs(2*n-low-high) / (high - low)
				if all[len(c)]++; off <= 1 {
					held[len(c)]++
				}
				farthest = max(farthest, off)
			}
		}
	}
	t.Logf("of %v counts %v hold, off by up to %.1f half widths", all[1:], held[1:], farthest)
	for width := 1; width <= 3; width++ {
		share := held[width] / all[width]
		must.Hold(t, share >= .9 && share <= .99, "%.1f %% of the counts of %d columns hold", 100*share, width)
	}
	must.Hold(t, farthest < 5, "a count is %.1f half widths off", farthest)
}
