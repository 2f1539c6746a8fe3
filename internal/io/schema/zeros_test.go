package schema

import (
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestStructuralZeros has a row for every way to name a cell.
func TestStructuralZeros(t *testing.T) {
	const columns = `
privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: pregnant, type: BOOL, null: true}
  - {name: age, type: INT64, edges: [0, 12, 50, 120], null: true}
  - {name: size, type: FLOAT64, edges: [0, 0.5, 2], null: true}
  - {name: seen, type: DATE, min: 2020-01-15, max: 2020-12-31, step: month, null: true}
impossible:
  - `
	tests := []struct {
		entry string
		want  domain.Exclusion
	}{
		{"{sex: Male, pregnant: true}", domain.Exclusion{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {1}}}},
		{"{pregnant: [TRUE, null], sex: other}", domain.Exclusion{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{2}, {1, 2}}}},
		{"{age: [50, 0], pregnant: true}", domain.Exclusion{Clique: domain.Clique{1, 2}, Codes: [][]domain.Code{{1}, {0, 2}}}},
		{"{age: null, size: [0.50, 0]}", domain.Exclusion{Clique: domain.Clique{2, 3}, Codes: [][]domain.Code{{3}, {0, 1}}}},
		{"{seen: [2020-01-15, 2020-02-01], sex: [Male, Female], pregnant: true}",
			domain.Exclusion{Clique: domain.Clique{0, 1, 4}, Codes: [][]domain.Code{{0, 1}, {1}, {0, 1}}}},
	}
	for _, test := range tests {
		f, err := Parse("f", []byte(columns+test.entry))
		if err != nil {
			t.Errorf("%s: %v", test.entry, err)
			continue
		}
		must.Hold(t, len(f.Domain.StructuralZeros) == 1 && reflect.DeepEqual(f.Domain.StructuralZeros[0], test.want),
			"%s: got %v, want %v", test.entry, f.Domain.StructuralZeros, test.want)
		must.Pass(t, f.Domain.Validate(), "%s", test.entry)
	}
}
