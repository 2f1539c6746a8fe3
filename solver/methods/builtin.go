package methods

import (
	"context"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpam"
	"github.com/dapple-dp/dapple/solver/dpfw"
	"github.com/dapple-dp/dapple/solver/rake"
)

// largestGDP is the largest ε for which Gaussian differential privacy is charged: above it the cost of discrete
// noise, which grows with exp(ε), is no longer small compared with δ.
const largestGDP = 10

// gaussian returns the kind of ledger for an algorithm that only adds Gaussian noise, if δ allows that.
func gaussian(e dp.Epsilon, d dp.Delta) dp.Accounting {
	switch {
	case d == 0:
		return dp.Pure
	case e > largestGDP:
		return dp.ZCDP
	}
	return dp.GaussianOnly
}

// perCell is the cost of a method on an explicit universe, from the measured costs of its kernels.
func perCell(bytes, seconds float64) func(solver.Problem) (float64, float64) {
	return func(p solver.Problem) (float64, float64) {
		_, cells, _ := p.Domain.Universe()
		return bytes * cells, seconds * cells
	}
}

// others is how many methods were registered before this module's own, builtin how many this module has.
var others, builtin int

func init() {
	others = len(solver.Methods())
	solver.Register(solver.Method{
		Name: "rake", Summary: "residuals of the tables that noisy scores call for, maximum entropy fitted by raking",
		Accounting: gaussian, Accesses: rake.Accesses, LargestTable: rake.LargestTable, Widest: rake.WidestTable,
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return rake.Solve(p, c)
		},
		Limits: rake.Limits, Cost: rake.Cost, Learns: true, Public: true,
		Predict: func(p solver.Problem, b dp.Budget, like *solver.Pattern) (solver.Forecast, error) {
			f, err := rake.Predict(p, b, like)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	})
	solver.Register(solver.Method{
		Name: "dpam", Summary: "one noisy release of the workload, accelerated entropic fit stopped by SURE",
		Accounting: gaussian, Accesses: dpam.Accesses, Linear: true, Public: true,
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return dpam.Solve(p, c)
		},
		Cost: perCell(96, 18e-9*60),
	})
	solver.Register(dpfw.Method(dpfw.Settings{}))
	builtin = len(solver.Methods()) - others
}
