package publish

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// Beyond the limit measured marginals come first, in the order of the workload among all that fit.
func TestPublished(t *testing.T) {
	w := query.AllMarginals([]int{2, 3, 4}, 2, 100) // cells 2 3 4 6 8 12
	r := &solver.Result{Measurements: []query.Measurement{{Clique: domain.Clique{1, 2}}, {Clique: domain.Clique{0, 1, 2}}}}
	for _, test := range []struct {
		limit int64
		want  string
		cells int64
	}{
		{1000, "0 1 2 0,1 0,2 1,2 0,1,2", 59},
		{40, "0 1,2 0,1,2", 38},
		{20, "0 1 1,2", 17},
		{3, "0", 2},
	} {
		got, said := published(w, r, test.limit)
		var keys []string
		for _, c := range got {
			keys = append(keys, c.Key())
		}
		if strings.Join(keys, " ") != test.want || said.Cells != test.cells || said.Of != 7 || said.Marginals != len(got) {
			t.Errorf("limit %d: %v, %+v; want %s", test.limit, keys, said, test.want)
		}
	}
}
