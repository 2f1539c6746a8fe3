package rivals_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/integration/research/rivals"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// TestParityIsFound: 50,000 records of 12 binary columns are uniform but for one, which is the XOR of three others for 90 %
// of them, so that all tables of up to three columns are uniform. At ε = 1 adaptive and dpfw, asked for all tables of four
// columns, and dpfw, asked for all 495 parities of four columns, find it: the parity, .8 of the records, is in their models
// to a twentieth, and no other one is above a tenth.
func TestParityIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to search a large workload; make nightly runs it")
	}
	table, rng := solvertest.NewTable(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), rand.New(rand.NewPCG(12, 4))
	bit := func(z, a int) int { return z >> (11 - a) & 1 }
	for range 50_000 {
		z := rng.IntN(1 << 12)
		if rng.Float64() < .8 && bit(z, 7) != bit(z, 1)^bit(z, 4)^bit(z, 10) {
			z ^= 1 << (11 - 7)
		}
		table.Counts[z]++
	}
	parities, tables := query.Workload{Sizes: table.Sizes}, query.Workload{Sizes: table.Sizes}
	hidden := domain.Clique{1, 4, 7, 10}
	for _, c := range query.AllMarginals(table.Sizes, 4, 16).Cliques() {
		if len(c) < 4 {
			continue
		}
		m := must.Value(query.Parity(table.Sizes, c))(t)
		parities.Marginals = append(parities.Marginals, m)
		tables.Marginals = append(tables.Marginals, query.Marginal{Clique: c, Weight: 1})
	}
	solve := map[string]func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error){
		"dpfw on tables": func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
			p.Workload, p.Rounds = tables, 200
			return dpfw.Solve(p, c)
		},
		"dpfw on parities": func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
			p.Workload = parities
			return dpfw.Solve(p, c)
		},
	}
	for _, a := range rivals.All() {
		if a.Name == "adaptive" {
			solve["adaptive on tables"] = func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
				p.Workload, p.Rounds = tables, 10
				return a.Solve(p, solvertest.Published{Curator: c})
			}
		}
	}
	for name, run := range solve {
		if testing.Short() && name != "dpfw on parities" {
			continue // make nightly has the time
		}
		p := solvertest.Problem(table, 1, dp.AddRemove, 1, false)
		result := must.Value(run(p, solvertest.CuratorFor(table, p, dp.ZCDP, 9)))(t)
		plan := dense.PlanOf(parities)
		views, _ := plan.NewAnswers()
		dense.NewOracle(plan).Eval(result.Model.Weights, views)
		for i, v := range views {
			got := v[0] / result.Total.Units
			if c := parities.Marginals[i].Clique; c.Equal(hidden) {
				t.Logf("%s: parity %.3f", name, got)
				must.Hold(t, got >= .75 && got <= .85, "%s: the hidden parity is %.3f of the records, want .8", name, got)
			} else if got > .1 || got < -.1 {
				t.Errorf("%s: columns %v have the parity %.3f, want 0", name, c, got)
			}
		}
	}
}
