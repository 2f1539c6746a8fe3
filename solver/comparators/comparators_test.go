package comparators_test

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/comparators"
	"github.com/dapple-dp/dapple/solver/population"
)

func TestConformance(t *testing.T) {
	for _, a := range comparators.All() {
		t.Run(a.Name, func(t *testing.T) {
			if a.Name == "gem" && testing.Short() {
				t.Skip("missing: time for a network, 15 CPU seconds; make integration runs it")
			}
			solvertest.TestSolver(t, solvertest.Method{
				Accesses: a.Accesses, Accounting: dp.ZCDP, NoPure: a.Measures, AnyWidth: !a.Dense,
				Solve: func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return a.Solve(p, c) },
			})
		})
	}
}

// TestFigures compares with the figures of a reference implementation of each algorithm: the largest cell error and the
// average total variation on a binary tree of 10 columns, 10,000 units, ε = 1, add/remove, means of five fixed seeds, of gem one.
// The reference figures are means of few runs, hence the width of the bands.
func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the figures, 30 CPU seconds; make integration runs it")
	}
	table := solvertest.Tree10()
	want := map[string][2]float64{
		"mwem": {.0146, .0129}, "pep": {.0149, .0137}, "adaptive": {.0050, .0044}, "gem": {.0080, .0084}, "dualquery": {.049, .048},
		"fem": {.039, .035}, "sepfem": {.036, .038},
	}
	for _, a := range comparators.All() {
		t.Run(a.Name, func(t *testing.T) {
			p, runs := solvertest.Problem(table, 3, dp.AddRemove, 1, false), 5
			if a.Name == "gem" {
				runs = 1 // 10 CPU seconds each
			}
			largest, tv := solvertest.Mean(t, runs, func(seed uint64) solvertest.Score {
				return solvertest.Run(t, table, p, dp.ZCDP, solver.ZCDPRho(p.Epsilon, p.Delta), seed, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
					r, err := a.Solve(p, c)
					if err == nil {
						r.Model = explicit(r.Model)
					}
					return r, err
				})
			})
			solvertest.Within(t, a.Name, largest, tv, want[a.Name][0], want[a.Name][1], .4, .4)
		})
	}
}

// explicit returns the model with a weight for every record of the universe.
func explicit(m *population.Model) *population.Model {
	if m.Columns == nil {
		return m
	}
	all := make(domain.Clique, len(m.Sizes))
	k := 1
	for a, n := range m.Sizes {
		all[a] = a
		k *= n
	}
	out := &population.Model{Sizes: m.Sizes, Weights: make([]float64, k)}
	record := make([]domain.Code, len(m.Sizes))
	for i, w := range m.Weights {
		out.Weights[all.Cell(m.Sizes, m.Record(i, record))] += w
	}
	return out
}
