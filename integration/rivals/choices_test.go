package rivals

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// A method that keeps no noisy answer bounds its largest error by its choices. Here the bound is never below the error, and
// at most 10 times it: the seeds are fixed.
func TestChoicesBoundTheError(t *testing.T) {
	const rho, rounds = .02, 100
	table := solvertest.RandomTable(rand.New(rand.NewPCG(5, 5)), 5000, 2, 3, 2, 4)
	for name, relation := range map[string]dp.Neighbouring{"fem": dp.AddRemove, "sepfem": dp.Replace} {
		p := solvertest.Problem(table, 2, relation, 1, false)
		p.Rounds = rounds
		_, cells, _ := p.Workload.Maximal().Cells()
		part, reach := 1.0, 2.0
		if relation == dp.AddRemove {
			part, reach = .98, 1
		}
		ledger := []accountant.Line{{Stage: "total", Kind: "discrete_gaussian", Count: 1, Scale: "sigma2=1"},
			{Stage: "select", Kind: "exponential", Count: rounds, Scale: fmt.Sprintf("b=%.6f", reach*math.Sqrt(rounds/(8*part*rho)))}}
		for _, a := range All() {
			if a.Name != name {
				continue
			}
			for seed := range uint64(3) {
				s := solvertest.Run(t, table, p, dp.ZCDP, rho, seed, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
					r, err := a.Solve(p, c)
					if err == nil {
						r.Model = solvertest.Explicit(r.Model)
					}
					return r, err
				})
				e := report.FittedErrors(report.Fitted{Model: s.Result.Model, Chosen: s.Result.Chosen, Ledger: ledger, Cells: cells, Total: s.Result.Total, RMSE: math.NaN()})
				if e.Cells != cells || e.MaxCell < s.Largest || e.MaxCell > 10*s.Largest {
					t.Errorf("%s, %v, seed %d: bound %.4f on %d cells, error %.4f", a.Name, relation, seed, e.MaxCell, e.Cells, s.Largest)
				}
			}
		}
	}
}
