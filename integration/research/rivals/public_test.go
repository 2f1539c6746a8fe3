package rivals_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/rivals"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

func named(t *testing.T, name string) rivals.Algorithm {
	for _, a := range rivals.All() {
		if a.Name == name {
			return a
		}
	}
	t.Fatal("no method", name)
	return rivals.Algorithm{}
}

// sample returns about a part of a table's rows as a public table, and how often each record is in it.
func sample(t *testing.T, table *solvertest.Table, part float64, rng *rand.Rand) (*solver.Public, []int) {
	b, seen := solver.NewPublicBuilder(table.Sizes), make([]int, len(table.Counts))
	for z, n := range table.Counts {
		for range int(n) {
			if rng.Float64() < part {
				b.Add(recordAt(table.Sizes, z))
				seen[z]++
			}
		}
	}
	p := must.Value(b.Table())(t)
	return p, seen
}

// TestPublic: at ε = .1 a public tenth of the rows lowers the largest error of mwem by a third at least. The model of
// pmw-pub keeps to records that are public. Means of three fixed seeds.
func TestPublic(t *testing.T) {
	table := solvertest.Tree10()
	of := func(name string, part float64) float64 {
		largest, tv := solvertest.Mean(t, 3, func(seed uint64) solvertest.Score {
			p, seen := solvertest.Problem(table, 3, dp.AddRemove, .1, false), []int(nil)
			if part > 0 {
				p.Public, seen = sample(t, table, part, rand.New(rand.NewPCG(seed, 7)))
			}
			s := solvertest.Run(t, table, p, dp.ZCDP, solver.ZCDPRho(p.Epsilon, p.Delta), seed, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
				return named(t, name).Solve(p, solvertest.Published{Curator: c})
			})
			for z, w := range s.Result.Model.Weights {
				must.Need(t, name != "pmw-pub" || w <= 0 || seen[z] != 0, "record %d is in the model and not public", z)
			}
			must.Hold(t, part <= 0 || s.Result.Public != nil && s.Result.Public.Weight == float64(s.Result.Public.Rows),
				"%s: the result says %+v of the public table", name, s.Result.Public)
			return s
		})
		t.Logf("%s: %.4f/%.4f", name, largest, tv)
		return largest
	}
	of("pap", .1)
	without, with := of("mwem", 0), of("pmw-pub", .1)
	must.Hold(t, with <= without*2/3, "largest error %.4f with public rows, %.4f without: want a third less", with, without)
}

// TestReduction: pap's model has one record of those that public rows cannot tell apart, and all of the cells that have
// public rows are in it.
func TestReduction(t *testing.T) {
	table := solvertest.RandomTable(rand.New(rand.NewPCG(3, 3)), 3000, 4, 3, 5)
	p := solvertest.Problem(table, 2, dp.AddRemove, 1, false)
	rng := rand.New(rand.NewPCG(5, 5))
	var seen []int
	p.Public, seen = sample(t, table, .004, rng)
	r := must.Value(named(t, "pap").Solve(p, solvertest.Published{Curator: solvertest.CuratorFor(table, p, dp.ZCDP, 1)}))(t)
	plan := dense.NewPlan(table.Sizes, p.Workload.Maximal().Cliques())
	public, model := make([]float64, len(seen)), 0
	for z, n := range seen {
		public[z] = float64(n)
	}
	asked, _ := plan.NewAnswers()
	got, _ := plan.NewAnswers()
	o := dense.NewOracle(plan)
	o.Eval(public, asked)
	o.Eval(r.Model.Weights, got)
	classes := map[string]int{}
	for z := range seen {
		// Cells with public rows that have the same ones as another cell stand for each other here, so the cells that
		// a record lies in tell at least as much as the cells asked.
		var in strings.Builder
		for i, c := range plan.Cliques() {
			if cell := c.Cell(table.Sizes, recordAt(table.Sizes, z)); asked[i][cell] > 0 {
				in.WriteString(strings.Repeat("x", cell+1))
			}
			in.WriteByte('/')
		}
		if r.Model.Weights[z] > 0 {
			model++
			classes[in.String()]++
			must.Hold(t, classes[in.String()] <= 1, "record %d is like another one of the model", z)
		}
	}
	for i := range asked {
		for c, n := range asked[i] {
			must.Hold(t, n <= 0 || got[i][c] != 0, "cell %d of table %d has %g public rows and is not in the model", c, i, n)
		}
	}
	must.Hold(t, model >= 2 && model != len(seen), "%d of %d records are in the model", model, len(seen))
}

// TestWithoutPublic refuses a run without the table that it needs, and says what else to do.
func TestWithoutPublic(t *testing.T) {
	p := solvertest.Problem(solvertest.Tree10(), 2, dp.AddRemove, 1, false)
	for _, name := range []string{"pmw-pub", "pap"} {
		must.Fails(named(t, name).Accesses(p))(t, "solver.Problem.Public", "%s", name)
	}
}
