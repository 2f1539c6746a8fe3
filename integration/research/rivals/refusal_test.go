package rivals_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// Where a universe is too large for the method that was asked for, one that answers linear queries without it is named.
func TestRefusalNamesAMethodForLinearQueries(t *testing.T) {
	d, sizes := &domain.Domain{}, slices.Repeat([]int{3}, 40)
	for i := range sizes {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("x", i), Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true})
	}
	same, err := query.NewLinear([][]float64{{1, -1, 0, -1, 1, 0, 0, 0, .5}})
	must.Do(t, err)
	w := query.AllMarginals(sizes, 2, 1000)
	w.Marginals = append(w.Marginals, query.Marginal{Clique: domain.Clique{0, 1}, Weight: 1, Queries: same})
	p := solver.Problem{Domain: d, Workload: w, Epsilon: 1, Delta: 1e-9, Units: 10_000}
	_, _, err = methods.Choose(p, "mwem")
	_, fix := plan.Refusal(p, "mwem", err)
	must.Hold(t, strings.HasSuffix(fix, "drop columns, or raise --memory_limit; --method=dualquery answers linear queries in any domain"), "fix %q", fix)
}
