package solvertest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Never excludes a pair and a triple of attributes of sizes 3, 1, 4, 2.
var Never = domain.Exclusions{
	{Clique: domain.Clique{0, 2}, Codes: [][]domain.Code{{2}, {0, 1}}},
	{Clique: domain.Clique{0, 2, 3}, Codes: [][]domain.Code{{0, 1}, {3}, {1}}},
}

// impossible checks that a method plans and asks the same as without exclusions, that every impossible
// record has the weight 0 exactly, and that no written row is one: also of data that hold such records.
func (m Method) impossible(t *testing.T) {
	table := RandomTable(rand.New(rand.NewPCG(13, 1)), 3000, 3, 1, 4, 2)
	for _, r := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		t.Run("impossible/"+r.String(), func(t *testing.T) {
			p := Problem(table, 2, r, max(m.Epsilon, 1), false)
			p.Domain.StructuralZeros = Never
			m.conforms(t, table, p)
			got, err := m.Solve(p, CuratorFor(table, p, m.Accounting, 5))
			if err != nil {
				t.Fatal(err)
			}
			CheckStructuralZeros(t, got.Model, Never, p.Workload.Maximal().Cliques())
		})
	}
}

// CheckStructuralZeros reports an error unless the model declares x, gives the records that it holds for no
// weight, and has rows that are all possible.
func CheckStructuralZeros(t *testing.T, m *population.Model, x domain.Exclusions, cliques []domain.Clique) {
	t.Helper()
	if len(m.StructuralZeros) != len(x) {
		t.Errorf("the model declares %d exclusions, want %d", len(m.StructuralZeros), len(x))
	}
	record := make([]domain.Code, len(m.Sizes))
	for i, w := range m.Weights {
		if v := x.Violated(m.Record(i, record)); w != 0 && v >= 0 {
			t.Fatalf("record %v has weight %g, though exclusion %d holds for it", record, w, v)
		}
	}
	rows := population.NewRows(m, cliques, 2000, 3)
	for p := range rows.Len() {
		if v := x.Violated(rows.At(p, record)); v >= 0 {
			t.Fatalf("row %v, though exclusion %d holds for it", slices.Clone(record), v)
		}
	}
}
