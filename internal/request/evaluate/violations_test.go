package evaluate

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestViolations: rows that two combinations hold for count once in the sum.
func TestViolations(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "pregnant", Type: domain.Bool, Values: []string{"false", "true"}, Null: true},
	}, StructuralZeros: domain.Exclusions{
		{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {1, 2}}},
		{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {1}}},
	}}
	truth := &Table{Sizes: d.Sizes(), Rows: 5, Columns: [][]domain.Code{{1, 1, 1, 0, 0}, {1, 1, 2, 1, 2}}}
	other := &Table{Sizes: d.Sizes(), Rows: 2, Columns: [][]domain.Code{{1, 0}, {0, 1}}}
	r, err := Compare(context.Background(), Tables{Real: truth, Synthetic: other}, query.AllMarginals(d.Sizes(), 2, 100), d)
	must.Do(t, err)
	v := r.Real.Violations
	if v.Real != 3 || v.Synthetic != 0 || v.Each[0].Real != 3 || v.Each[1].Real != 2 || strings.Join(v.Each[0].Cells[1], "|") != "true|NULL" {
		t.Errorf("%+v", v)
	}
	d.StructuralZeros = nil
	r, err = Compare(context.Background(), Tables{Real: truth, Synthetic: other}, query.AllMarginals(d.Sizes(), 2, 100), d)
	must.Do(t, err)
	if b, err := json.Marshal(r); err != nil || strings.Contains(string(b), "violations") {
		t.Error("violations of nothing")
	}
}
