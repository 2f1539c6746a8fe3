package rake

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// startRun returns a run that has the total and the one-ways.
func startRun(t *testing.T, sizes []int, capacity float64) (*run, records) {
	t.Helper()
	p := sampled(problem(sizes, 3, dp.AddRemove))
	data := table(20_000, sizes)
	c := newCurator(t, data, p, capacity, 1)
	r := must.Value(newRun(p, c, c.Budget()))(t)
	for _, stage := range []func() error{r.measureTotal, r.measureOneWays} {
		must.Do(t, stage())
	}
	return r, data
}

// TestOneWayNoise: the noise before centring, whose sensitivity² is 1 − 1/k, accounts for the whole share.
func TestOneWayNoise(t *testing.T) {
	r, data := startRun(t, []int{2, 9, 30}, .05)
	charge := 0.0
	for a, k := range r.targets.Sizes {
		one := r.ones.List[a]
		charge += (1 - 1/float64(k)) / (2 * one.Sigma * one.Sigma)
		sum := 0.0
		for v, h := range data.marginal(domain.Clique{a}) {
			sum += (one.Counts[v] - h) * (one.Counts[v] - h)
		}
		// A mean of squares of k normal variables is below 4 times its expectation for these seeds.
		limit := 4 * (one.Variance + r.total.Variance/float64(k*k))
		must.Hold(t, sum/float64(k) <= limit, "attribute %d: mean square error %g, limit %g", a, sum/float64(k), limit)
	}
	want := r.settings.oneWays.Float() * .05
	must.Hold(t, math.Abs(charge-want) <= 1e-9*want, "charge %g, want %g", charge, want)
}
