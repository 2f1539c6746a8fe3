package rivals_test

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/rivals"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// TestSmoke runs every rival, DPAM and DPFW once on a table of 24 cells and 20,000 units at ε = 1: each has to end within .12
// in average total variation over the tables of two columns. An even table is more than twice as far off.
func TestSmoke(t *testing.T) {
	table := solvertest.NewTable(2, 3, 2, 2)
	for z := range table.Counts {
		table.Counts[z] = 50
	}
	for z, n := range map[int]float64{0: 9_000, 7: 4_800, 13: 3_000, 18: 2_000} {
		table.Counts[z] += n
	}
	pairs := solvertest.Problem(table, 2, dp.AddRemove, 1, false).Workload.Cliques()
	_, even := solvertest.Errors(solvertest.Marginals(table.Sizes, pairs, table.Counts), solvertest.Marginals(table.Sizes, pairs, slices.Repeat([]float64{table.Units() / 24}, 24)))
	must.Need(t, even >= .24, "an even table is off by %.3f: the bound says nothing", even)
	list := map[string]func(solver.Problem, *solvertest.Curator) (*solver.Result, error){}
	for _, a := range rivals.All() {
		list[a.Name] = method(a).Solve
	}
	list["dpam"] = func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpam.Solve(p, c) }
	list["dpfw"] = func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) }
	for name, solve := range list {
		t.Run(name, func(t *testing.T) {
			p := solvertest.Problem(table, 2, dp.AddRemove, 1, false)
			score := solvertest.Run(t, table, p, dp.ZCDP, solver.ZCDPRho(p.Epsilon, p.Delta), 1, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
				r, err := solve(p, c)
				if err == nil {
					r.Model = solvertest.Explicit(r.Model)
				}
				return r, err
			})
			must.Hold(t, score.TV < .12, "average total variation %.3f, want below .12", score.TV)
		})
	}
}
