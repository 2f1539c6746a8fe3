package synth

import (
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// checkedRelease solves a table with a method, and checks one limit for a part of the budget.
func checkedRelease(t *testing.T, method string, tb *counts.Table, largest float64) *Artifact {
	t.Helper()
	f := newSolveFn(StoreRef{})
	f.Params.Method, f.Params.Epsilon, f.Params.Delta = method, 20, 1e-6
	f.Params.Criteria = solver.Criteria{Limits: []solver.Limit{{Clique: domain.NewClique(0, 1), Largest: largest}}, Share: dp.ShareOf(1, 5)}
	ref, err := process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{tb})
	must.Need(t, err == nil, "%s: %v", method, err)
	return artifact(t, ref, StoreRef{})
}

// TestCriteria: the table gives the answer, its charge is in the ledger beside the method's charges, which together are
// within the promise, and nothing else of a release follows from the answer. Noise of the check has σ below 1; to be wrong
// it would have to be beyond 10.
func TestCriteria(t *testing.T) {
	for _, method := range []string{"universe", "rake", "dpam", "dpfw"} {
		a := checkedRelease(t, method, table(t, 400), .9)
		must.Hold(t, a.Result.Accepted != nil && *a.Result.Accepted, "%s: a limit of 0.9 is not met", method)
		stages := 0
		for _, line := range a.Statement.Ledger {
			if line.Stage == solver.CriteriaStage {
				stages += line.Count
			}
		}
		must.Hold(t, stages == 1 && float64(a.Statement.AchievedEpsilon) <= 20,
			"%s: %d charges of a check, ε = %g of 20", method, stages, float64(a.Statement.AchievedEpsilon))
	}
	// The answers of frozen are thrown away, and its model has 70 units, whatever the table.
	bad, good := checkedRelease(t, "frozen", table(t, 400), .2), checkedRelease(t, "frozen", table(t, 70), .2)
	must.Hold(t, !*bad.Result.Accepted && *good.Result.Accepted,
		"a table of 400 units against a model of 70 is accepted: %v; one of 70: %v", *bad.Result.Accepted, *good.Result.Accepted)
	bad.Result.Accepted, bad.Result.Measured = good.Result.Accepted, good.Result.Measured // a release of its own
	must.Hold(t, reflect.DeepEqual(bad, good), "more than the answer differs between a release that meets its criteria and one that does not")
}

// TestCriteriaWantABudget: methods whose noise is fixed beforehand leave nothing to a check, and say so.
func TestCriteriaWantABudget(t *testing.T) {
	f := newSolveFn(StoreRef{})
	f.Params.Method = fixedNoise
	f.Params.Criteria = solver.Criteria{Limits: []solver.Limit{{Clique: domain.NewClique(0), Largest: .1}}, Share: dp.ShareOf(1, 5)}
	must.Fail(t, f.choose(), "fixed beforehand")
}
