package solver

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A plan in which something that is to be measured has no share is refused before anything is spent.
func TestNoShareIsRefused(t *testing.T) {
	for _, tt := range []struct {
		access  Access
		refused bool
	}{
		{Access{Stage: "tables", Share: dp.ShareOf(0, 100_000)}, true},
		{Access{Stage: "tables"}, true},
		{Access{Stage: "tables", Share: dp.ShareOf(1, 100_000)}, false},
		{Access{Stage: "tables", Noise: 4}, false},
	} {
		m := reserving(Method{
			Name:     "mine",
			Accesses: func(Problem) ([]Access, error) { return []Access{tt.access}, nil },
			Solve:    func(context.Context, Problem, Curator) (*Result, error) { return nil, nil },
		})
		_, err := m.Accesses(Problem{Workload: query.Workload{Sizes: []int{2}}})
		must.Hold(t, (err != nil) == tt.refused && (!tt.refused || strings.Contains(err.Error(), `stage "tables" has no share`)),
			"%+v: error %v, want one: %v", tt.access, err, tt.refused)
	}
}

func TestPublic(t *testing.T) {
	sizes := []int{3, 2}
	b := NewPublicBuilder(sizes)
	b.Add([]domain.Code{2, 1, 0, 0, 2, 1})
	b.Add([]domain.Code{1, 0})
	p, err := b.Table()
	must.Need(t, err == nil && p.Rows == 4, "%+v, %v", p, err)
	h, err := p.Histogram(sizes)
	must.Hold(t, err == nil && slices.Equal(h, []float64{1, 0, 1, 0, 0, 2}), "%v, %v", h, err)
	for name, bad := range map[string]*Public{
		"another universe": {p.Rows, append(slices.Clone(p.Records), 1, 1)},
		"cut":              {p.Rows, p.Records[:3]},
		"missing rows":     {p.Rows, p.Records[:2]},
		"empty":            {},
	} {
		must.Fails(bad.Histogram(sizes))(t, "", "%s: no error", name)
	}
	must.Fails(NewPublicBuilder(sizes).Table())(t, "", "a table without rows is taken")
}
