package methods

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/published/dpampaper"
	"github.com/dapple-dp/dapple/internal/published/dpfwpaper"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpam"
	"github.com/dapple-dp/dapple/solver/dpfw"
	"github.com/dapple-dp/dapple/solver/rake"
)

// Method is one algorithm under the name that flags and reports use.
type Method struct {
	Name    string
	Summary string
	// Accounting returns the kind of ledger that the algorithm charges at the given ε and δ.
	Accounting func(dp.Epsilon, dp.Delta) dp.Accounting
	// Accesses plans every access to private data, or says why the algorithm does not apply.
	Accesses func(solver.Problem) ([]solver.Access, error)
	// Solve runs the algorithm; it makes exactly the accesses that Accesses planned.
	Solve func(solver.Problem, solver.Curator) (*solver.Result, error)
	// PredictAs names the method whose predicted error stands for this one's, where this one measures
	// nothing that an error could be predicted from.
	PredictAs string
	// LargestTable is the most cells of a marginal that the algorithm measures; 0: any number. It answers
	// larger ones from what it learns of smaller ones.
	LargestTable int64
	// Limits says which public caps a run has, for people; nil where the domain's size is the only one.
	Limits func(solver.Problem) string
	// Universe says that the algorithm measures the cells of the whole universe as well.
	Universe bool
	// cost returns the memory of the solve in bytes and its CPU time in seconds on one core.
	cost func(solver.Problem) (bytes, seconds float64)
}

// Cliques returns what must be counted beyond the marginals of the workload.
func (m Method) Cliques(p solver.Problem) []domain.Clique {
	if !m.Universe {
		return nil
	}
	whole := make(domain.Clique, p.Domain.Len())
	for i := range whole {
		whole[i] = i
	}
	return []domain.Clique{whole}
}

// Cost returns the memory of the solve in bytes and its CPU time in seconds on one core.
func (m Method) Cost(p solver.Problem) (bytes, seconds float64) {
	return m.cost(p)
}

// perCell is the cost of a method on an explicit universe, from the measured costs of its kernels.
func perCell(bytes, seconds float64) func(solver.Problem) (float64, float64) {
	return func(p solver.Problem) (float64, float64) {
		_, cells, _ := p.Domain.Universe()
		return bytes * cells, seconds * cells
	}
}

// largestGDP is the largest ε for which Gaussian differential privacy is charged: beyond it the price of
// discrete noise, which grows with exp(ε), is no longer small beside δ.
const largestGDP = 10

// gaussian is the ledger of an algorithm that only adds Gaussian noise where δ allows it.
func gaussian(e dp.Epsilon, d dp.Delta) dp.Accounting {
	switch {
	case d == 0:
		return dp.Pure
	case e > largestGDP:
		return dp.ZCDP
	}
	return dp.GaussianOnly
}

// selecting is the ledger of an algorithm that selects.
func selecting(_ dp.Epsilon, d dp.Delta) dp.Accounting {
	if d == 0 {
		return dp.Pure
	}
	return dp.ZCDP
}

var all = []Method{
	{
		Name: "rake", Summary: "residuals of the tables that noisy scores call for, maximum entropy fitted by raking",
		Accounting: gaussian, Accesses: rake.Accesses, LargestTable: rake.LargestTable,
		Solve:  func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return rake.Solve(p, c) },
		Limits: rake.Limits, cost: rake.Cost,
	},
	{
		Name: "dpam", Summary: "one noisy release of the workload, accelerated entropic fit stopped by SURE",
		Accounting: gaussian, Accesses: dpam.Accesses,
		Solve: func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpam.Solve(p, c) },
		cost:  perCell(96, 18e-9*60),
	},
	{
		Name: "dpfw", Summary: "Frank-Wolfe: each round selects a marginal and the signs of its errors",
		Accounting: selecting, Accesses: dpfw.Accesses, PredictAs: "dpam",
		Solve: func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) },
		cost:  perCell(32, 7e-9*1000),
	},
	{
		Name: "dpam-paper", Summary: "DPAM as published, with the corrections that it needs to run; for comparison",
		Accounting: selecting, Accesses: dpampaper.Accesses, Universe: true,
		Solve: func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpampaper.Solve(p, c) },
		cost:  perCell(64, 0.2e-6*120),
	},
	{
		Name: "dpfw-paper", Summary: "DPFW as published, with the corrections that it needs to run; for comparison",
		Accounting: selecting, Accesses: dpfwpaper.Accesses,
		Solve: func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpfwpaper.Solve(p, c) },
		cost:  perCell(32, 7e-9*1000),
	},
}

// All returns every method, in the order in which a plan lists them.
func All() []Method { return all }

// Lookup returns the method called name.
func Lookup(name string) (Method, error) {
	for _, m := range all {
		if m.Name == name {
			return m, nil
		}
	}
	return Method{}, fmt.Errorf("methods: no method is called %q", name)
}
