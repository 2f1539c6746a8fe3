package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// askedWorkload has parities, half-spaces and queries of any values of one to three columns, and a marginal.
func askedWorkload(t *testing.T, sizes []int, rng *rand.Rand) query.Workload {
	t.Helper()
	w := query.Workload{Sizes: sizes, Marginals: []query.Marginal{{Clique: domain.Clique{0, 1}, Weight: 1}}}
	add := func(m query.Marginal, err error) {
		must.Do(t, err)
		w.Marginals = append(w.Marginals, m)
	}
	for k := range 40 {
		list := rng.Perm(len(sizes))[:1+k%3]
		c := domain.NewClique(list...)
		add(query.Parity(sizes, c))
		add(query.Function(sizes, c, func(codes []domain.Code) float64 {
			return math.Sin(float64(7*k) + float64(codes[0]+2*codes[len(codes)-1]))
		}))
		var position [][]float64
		for _, a := range c {
			position = append(position, []float64{0, 1, 2, 3, 4, 5, 6, 7}[:sizes[a]])
		}
		add(query.HalfSpace(sizes, c, slices.Repeat([]float64{1}, len(c)), position, 1))
	}
	slices.SortStableFunc(w.Marginals, func(a, b query.Marginal) int { return a.Clique.Compare(b.Clique) })
	return w
}

// TestAsked: 95 % intervals of the workload's own queries hold 93 % or more of the true answers, and are narrower than what
// nothing would tell. 8 fixed seeds, so that a failure is never chance.
func TestAsked(t *testing.T) {
	table := solvertest.Tree10()
	truth := &population.Model{Sizes: table.Sizes, Weights: table.Counts}
	for name, solve := range map[string]func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error){
		"dpam": func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpam.Solve(p, c) },
		"dpfw": func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) },
	} {
		p := solvertest.Problem(table, 2, dp.AddRemove, 1, false)
		p.Workload = askedWorkload(t, table.Sizes, rand.New(rand.NewPCG(35, 4)))
		held, all, width := 0.0, 0.0, 0.0
		for seed := range uint64(8) {
			s := solvertest.Run(t, table, p, dp.ZCDP, .017205, seed, solve)
			list := Asked(s.Result, p.Workload)
			must.Need(t, len(list) == p.Workload.Linear(), "%d answers to %d queries", len(list), p.Workload.Linear())
			k := 0
			for _, m := range p.Workload.Marginals {
				if m.Queries == nil {
					continue
				}
				want := make([]float64, m.Queries.Queries())
				m.Queries.Eval(want, truth.Marginal(m.Clique, nil))
				for _, x := range want {
					a := list[k]
					k++
					all++
					width += a.StandardError / (a.Most - a.Least)
					if a.Low() <= x && x <= a.High() {
						held++
					}
					must.Need(t, a.Low() >= a.Least && a.High() <= a.Most && a.Source == map[string]Source{"dpam": Measured, "dpfw": Certificate}[name],
						"%s: %+v", name, a)
				}
			}
		}
		t.Logf("%s: %.1f %% of the intervals hold; half of one is %.2g of the range", name, 100*held/all, 1.96*width/all)
		must.Hold(t, held/all >= .93 && width/all <= .05,
			"%s: %.3f of the intervals hold, want .93; a standard error is %.3g of the range", name, held/all, width/all)
		r := solvertest.Run(t, table, p, dp.ZCDP, .017205, 1, solve).Result
		whole := Asked(r, p.Workload)
		for i := range r.Model.Weights {
			r.Model.Weights[i] /= 8 // the unit of weights is any
		}
		for k, a := range Asked(r, p.Workload) {
			must.Need(t, math.Abs(a.Value-whole[k].Value) <= 1e-6 && math.Abs(a.StandardError-whole[k].StandardError) <= 1e-6,
				"%s: query %d has the answers %+v and %+v", name, k, whole[k], a)
		}
		r.Answers, r.MaxError = nil, nil
		a := Asked(r, p.Workload)[0]
		must.Hold(t, a.Source == Bound && a.Low() <= a.Least && a.High() >= a.Most, "nothing was released of the errors, and %+v", a)
	}
}
