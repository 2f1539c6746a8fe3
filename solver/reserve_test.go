package solver

import (
	"context"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
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
		if (err != nil) != tt.refused || tt.refused && !strings.Contains(err.Error(), `stage "tables" has no share`) {
			t.Errorf("%+v: error %v, want one: %v", tt.access, err, tt.refused)
		}
	}
}
