package rivals

import (
	"context"
	"errors"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/rivals/dpampaper"
	"github.com/dapple-dp/dapple/integration/research/rivals/dpfwpaper"
	"github.com/dapple-dp/dapple/solver"
)

// A program that imports this package has its methods beside dapple's, as it would have any others.
func init() {
	solver.Register(solver.Method{
		Name: "dpam-paper", Summary: "DPAM as published, with the corrections that it needs to run", Comparison: true,
		Accounting: selecting, Accesses: dpampaper.Accesses, Universe: true,
		Solve: solving(dpampaper.Solve),
		Cost:  perCell(dpampaper.BytesPerCell, 0.2e-6*120),
	})
	solver.Register(solver.Method{
		Name: "dpfw-paper", Summary: "DPFW as published, with the corrections that it needs to run", Comparison: true,
		Accounting: selecting, Accesses: dpfwpaper.Accesses,
		Solve: solving(dpfwpaper.Solve),
		Cost:  perCell(dpfwpaper.BytesPerCell, 7e-9*1000),
	})
	for _, a := range All() {
		solver.Register(solver.Method{
			Name: a.Name, Summary: a.Summary, Accounting: selecting, Accesses: a.Accesses,
			Comparison: true, Linear: a.Linear, Public: a.NeedsPublic(), Universe: a.Universe,
			Solve: solving(a.Solve),
			Cost:  a.Cost,
		})
	}
}

// solving asks the run's curator for what a published method needs beyond solver.Curator.
func solving[C any](solve func(solver.Problem, C) (*solver.Result, error)) func(context.Context, solver.Problem, solver.Curator) (*solver.Result, error) {
	return func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
		published, ok := c.(C)
		if !ok {
			return nil, errors.New("the curator lacks the mechanisms of published methods; use one that is a solver.Published")
		}
		return solve(p, published)
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
