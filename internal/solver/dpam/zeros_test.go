package dpam_test

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// TestExclusionsHelp: of tree10 without the records that some exclusions hold for, knowing so does not make
// the model worse. Means of 8 runs with the same noise.
func TestExclusionsHelp(t *testing.T) {
	never := domain.Exclusions{{Clique: domain.Clique{0, 4}, Codes: [][]domain.Code{{1}, {0}}},
		{Clique: domain.Clique{3, 8, 9}, Codes: [][]domain.Code{{0}, {1}, {0}}}}
	table := solvertest.Tree10()
	never.Cells(domain.Clique{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, table.Sizes, func(z int) { table.Counts[z] = 0 })
	p := solvertest.Problem(table, 3, dp.AddRemove, 1, false)
	run := func(seed uint64) solvertest.Score {
		return solvertest.Run(t, table, p, dp.GaussianOnly, .02, seed, solve)
	}
	_, without := solvertest.Mean(t, 8, run)
	p.Domain.StructuralZeros = never
	_, with := solvertest.Mean(t, 8, run)
	t.Logf("average total variation %.4f with exclusions, %.4f without", with, without)
	if with > 1.02*without {
		t.Errorf("average total variation %.4f with exclusions, %.4f without", with, without)
	}
}
