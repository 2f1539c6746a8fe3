package rake

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/fit"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// wideNever has a pair that a tree holds, an overlapping triple, and one over attributes of many values,
// some of them rare; sizes are as in the wide case.
var wideNever = domain.Exclusions{
	{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{0}, {1, 2}}},
	{Clique: domain.Clique{1, 4, 6}, Codes: [][]domain.Code{{0}, {0, 1}, {1}}},
	{Clique: domain.Clique{3, 5}, Codes: [][]domain.Code{{0, 5, 11}, {0, 7, 15, 28, 29}}},
}

// TestStructuralZeros: of every form of population, impossible records weigh exactly 0 and are no rows.
func TestStructuralZeros(t *testing.T) {
	for name, p := range cases() {
		sizes := p.Workload.Sizes
		never := wideNever
		switch {
		case len(sizes) < 4:
			continue
		case len(sizes) != 8:
			never = domain.Exclusions{{Clique: domain.Clique{0, 2}, Codes: [][]domain.Code{{1}, {0, 2}}},
				{Clique: domain.Clique{0, 1, 3}, Codes: [][]domain.Code{{0}, {1}, {1}}}}
		}
		p.Domain = &domain.Domain{StructuralZeros: never}
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 3, 2000} {
				r := must.Value(Solve(p, newCurator(t, table(n, sizes), p, .1, uint64(n))))(t)
				err := r.Model.Validate()
				must.Need(t, err == nil, "%d records: %v", n, err)
				solvertest.CheckStructuralZeros(t, r.Model, never, p.Workload.Maximal().Cliques())
			}
		})
	}
}

// TestUncoveredExclusion: an exclusion over more cells than any tree holds leaves the run to weights and
// Gibbs sweeps alone.
func TestUncoveredExclusion(t *testing.T) {
	sizes := []int{29, 29, 29, 29}
	low := make([]domain.Code, 21)
	for v := range low {
		low[v] = domain.Code(v)
	}
	never := domain.Exclusions{{Clique: domain.Clique{0, 1, 2, 3}, Codes: [][]domain.Code{low, low, low, low}}}
	p := sampled(problem(sizes, 2, dp.AddRemove))
	p.Domain = &domain.Domain{StructuralZeros: never}
	r := must.Value(Solve(p, newCurator(t, table(20_000, sizes), p, .1, 1)))(t)
	solvertest.CheckStructuralZeros(t, r.Model, never, p.Workload.Maximal().Cliques())
	cells := 1
	for _, pooled := range r.Uncertainty.Pooled {
		alone := 0
		for _, hidden := range pooled {
			if !hidden {
				alone++
			}
		}
		cells *= alone
	}
	must.Hold(t, cells > fit.TreeCells, "the exclusion has %d merged cells, which a tree holds", cells)
}

// consistent returns linked records without those that are impossible.
func consistent(n int, sizes []int, never domain.Exclusions) records {
	all := table(n, sizes)
	out := records{sizes: sizes, columns: make([][]domain.Code, len(sizes))}
	record := make([]domain.Code, len(sizes))
	for i := range all.len() {
		for a := range record {
			record[a] = all.columns[a][i]
		}
		if never.Violated(record) < 0 {
			for a, c := range record {
				out.columns[a] = append(out.columns[a], c)
			}
		}
	}
	return out
}

// TestExclusionsHelp: of data without impossible records, knowing so does not make the model worse. Means of
// 4 runs with the same noise; the spread of their difference is about 3 %.
func TestExclusionsHelp(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for fits with and without exclusions; make integration runs it")
	}
	wide := []int{2, 3, 1, 12, 5, 30, 2, 4}
	whole := []int{2, 3, 4, 5}
	for name, p := range map[string]solver.Problem{
		"sampled": sampled(problem(wide, 3, dp.AddRemove)), "whole": problem(whole, 3, dp.AddRemove),
	} {
		never := wideNever
		if name == "whole" {
			never = domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{0}, {1, 2}}},
				{Clique: domain.Clique{1, 3}, Codes: [][]domain.Code{{0}, {0, 1, 4}}}}
		}
		data := consistent(6000, p.Workload.Sizes, never)
		without, with := 0.0, 0.0
		for seed := range uint64(4) {
			p.Domain = nil
			a := must.Value(Solve(p, newCurator(t, data, p, .1, seed)))(t)
			p.Domain = &domain.Domain{StructuralZeros: never}
			b := must.Value(Solve(p, newCurator(t, data, p, .1, seed)))(t)
			without, with = without+tv(a.Model, data, p.Workload)/4, with+tv(b.Model, data, p.Workload)/4
		}
		t.Logf("%s: total variation %.4f with exclusions, %.4f without", name, with, without)
		must.Hold(t, with <= 1.05*without, "%s: total variation %.4f with exclusions, %.4f without", name, with, without)
	}
}
