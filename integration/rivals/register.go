package rivals

import (
	"context"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/rivals/dpampaper"
	"github.com/dapple-dp/dapple/integration/rivals/dpfwpaper"
	"github.com/dapple-dp/dapple/solver"
)

// A program that imports this package has its methods beside those of dapple, as it would have any others.
func init() {
	solver.Register(solver.Method{
		Name: "dpam-paper", Summary: "DPAM as published, with the corrections that it needs to run", Comparison: true,
		Accounting: selecting, Accesses: dpampaper.Accesses, Universe: true,
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return dpampaper.Solve(p, c)
		},
		Cost: perCell(dpampaper.BytesPerCell, 0.2e-6*120),
	})
	solver.Register(solver.Method{
		Name: "dpfw-paper", Summary: "DPFW as published, with the corrections that it needs to run", Comparison: true,
		Accounting: selecting, Accesses: dpfwpaper.Accesses,
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return dpfwpaper.Solve(p, c)
		},
		Cost: perCell(dpfwpaper.BytesPerCell, 7e-9*1000),
	})
	for _, a := range All() {
		solver.Register(solver.Method{
			Name: a.Name, Summary: a.Summary, Accounting: selecting, Accesses: a.Accesses,
			Comparison: true, Linear: a.Linear, Public: a.NeedsPublic(), Universe: a.Universe,
			Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
				return a.Solve(p, c)
			},
			Cost: a.Cost,
		})
	}
}

// selecting returns the kind of ledger for an algorithm that selects.
func selecting(_ dp.Epsilon, d dp.Delta) dp.Accounting {
	if d == 0 {
		return dp.Pure
	}
	return dp.ZCDP
}

// perCell is the cost of a method on an explicit universe, from the measured costs of its kernels.
func perCell(bytes, seconds float64) func(solver.Problem) (float64, float64) {
	return func(p solver.Problem) (float64, float64) {
		_, cells, _ := p.Domain.Universe()
		return bytes * cells, seconds * cells
	}
}
