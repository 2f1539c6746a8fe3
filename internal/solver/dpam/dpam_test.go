package dpam_test

import (
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

func solve(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpam.Solve(p, c) }

func TestConformance(t *testing.T) {
	solvertest.TestSolver(t, solvertest.Method{Accesses: dpam.Accesses, Solve: solve, Accounting: dp.GaussianOnly})
}

// TestLinear: the largest error on a mixed workload of linear queries, ε = 2, 50,000 units.
func TestLinear(t *testing.T) {
	solvertest.TestLinear(t, solvertest.Method{Accesses: dpam.Accesses, Solve: solve, Accounting: dp.GaussianOnly, NoPure: true}, .004)
}

// reference is a row of the table of figures: mean of several seeds.
type reference struct {
	relation    dp.Neighbouring
	eps         dp.Epsilon
	accounting  dp.Accounting
	capacity    float64
	largest, tv float64
}

// TestTree10 compares with the reference figures. The band is ±20 % of the largest error and ±10 % of
// the total variation for the mean of 3 seeds, and twice that at ε = 0.1, where single runs scatter
// more; the seeds are fixed, so there are no false alarms.
func TestTree10(t *testing.T) {
	table := solvertest.Tree10()
	for _, r := range []reference{
		{dp.AddRemove, .1, dp.ZCDP, 2.088e-4, .043, .0394},
		{dp.AddRemove, 1, dp.ZCDP, .017205, .0065, .0061},
		{dp.AddRemove, 10, dp.ZCDP, 1.2084, .0010, .0009},
		{dp.Replace, .1, dp.ZCDP, 2.088e-4, .059, .0526},
		{dp.Replace, 1, dp.ZCDP, .017205, .0085, .0081},
		{dp.Replace, 10, dp.ZCDP, 1.2084, .0014, .0013},
		{dp.AddRemove, 1, dp.Pure, 1, .0171, .0154},
		{dp.Replace, 1, dp.Pure, 1, .0257, .0263},
	} {
		p := solvertest.Problem(table, 3, r.relation, r.eps, r.accounting == dp.Pure)
		largest, tv := solvertest.Mean(t, 8, func(seed uint64) solvertest.Score {
			return solvertest.Run(t, table, p, r.accounting, r.capacity, seed, solve)
		})
		part := 1.0
		if r.eps < 1 {
			part = 2
		}
		solvertest.Within(t, fmt.Sprintf("%v %v eps %g", r.relation, r.accounting, float64(r.eps)), largest, tv, r.largest, r.tv, .2*part, .1*part)
	}
}
