package synth

import (
	"context"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// shown is the last problem that the method "frozen" was given.
var shown solver.Problem

// frozen pays for what it asks and throws the answers away: whatever still differs between two tables
// got there by another way than through the curator.
func frozen(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
	shown = p
	if _, err := c.Total("total", dp.ShareOf(1, 10)); err != nil {
		return nil, err
	}
	if _, err := c.Measure("measure", 1, p.Workload.Cliques(), nil, dp.ShareOf(9, 10)); err != nil {
		return nil, err
	}
	m := &population.Model{Sizes: p.Workload.Sizes, Weights: make([]float64, 24)}
	for z := range m.Weights {
		m.Weights[z] = float64(1 + z%5)
	}
	return &solver.Result{Model: m, Total: query.Total{Units: 70, Variance: 9}, Status: solver.RoundsDone}, nil
}

func init() {
	solver.Register(solver.Method{
		Name:       "frozen",
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses: func(p solver.Problem) ([]solver.Access, error) {
			return []solver.Access{
				{Stage: "total", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(1, 10)},
				{Stage: "measure", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(9, 10), Cliques: p.Workload.Cliques()},
			}, nil
		},
		Solve: frozen,
	})
}

// nobody is the table of no units.
func nobody() *counts.Table { return counts.NewTable(counts.NewShape(workload(), counts.Params{})) }

// release solves a table with the method "frozen" and returns the problem it saw and the release.
func release(t *testing.T, tb *counts.Table) (solver.Problem, ModelRef) {
	t.Helper()
	f := newSolveFn(StoreRef{})
	f.Params.Method, f.Params.ErrorShare = "frozen", -1 // what is measured follows the table, with noise
	ref := must.Value(process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{tb}))(t)
	p := shown
	p.Progress = nil
	return p, ref
}

// TestSolverSeesPublicFiguresOnly: tables of 0, 5 and 50 units make the same problem, whose planning
// number is the public one.
func TestSolverSeesPublicFiguresOnly(t *testing.T) {
	want, _ := release(t, nobody())
	must.Hold(t, want.Units == solver.DefaultUnits, "planning number %g, want %d", want.Units, solver.DefaultUnits)
	for _, n := range []int{5, 50} {
		got, _ := release(t, table(t, n))
		must.Hold(t, reflect.DeepEqual(got, want), "%d units make another problem", n)
	}
}

// TestReleaseFollowsTheCuratorAlone: with answers that do not depend on the table, nothing of a release
// does: model, totals, statement, hash and size.
func TestReleaseFollowsTheCuratorAlone(t *testing.T) {
	_, want := release(t, table(t, 5))
	for name, tb := range map[string]*counts.Table{"none": nobody(), "51": table(t, 51), "other ages": shifted(t, 5, 20)} {
		_, got := release(t, tb)
		must.Hold(t, reflect.DeepEqual(got, want), "%s: another release from the same answers", name)
	}
}
