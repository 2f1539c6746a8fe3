package families_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestPredictions compares, on families whose figures were seen when the constants were chosen but not fitted, the total
// variation that a run predicts of its own model with the true one, and counts the cells of every width that lie within
// 1.96 standard errors. The noise is fixed, so that a failure is never chance. Figures are means of a few runs: errors of
// small tables are linked, so that in one run of 12 binary columns fewer may be within.
func TestPredictions(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the fits, fifteen seconds; make nightly runs them")
	}
	const seeds, widest = 5, 3.5 // times what errors call for
	// The least part of the cells of any width that must be within, of the mean of those runs.
	held := map[string]float64{"ties": .95, "columns of 100 values that follow from others": .95, "12 binary columns, zeros declared": .95}
	for _, f := range families.All() {
		want, ok := held[f.Name]
		if !ok {
			continue
		}
		x := f.Make(40_000, 1)
		for _, epsilon := range []dp.Epsilon{.3, 1} {
			ratio, within, wide := 0.0, [4]float64{}, 0.0
			for seed := range uint64(seeds) {
				s := must.Value(families.Solve(x, families.Request{Method: "rake", Epsilon: epsilon, Delta: 1e-9}, families.Fixed(seed)))(t)
				ratio += s.TV / s.AverageTV(x) / seeds
				for width := 1; width <= 3; width++ {
					list := slices.DeleteFunc(s.Problem.Workload.Cliques(), func(c domain.Clique) bool { return len(c) != width })
					c := s.Coverage(x, list, 60)
					within[width] += c.Within / seeds
					wide = max(wide, c.Wide)
				}
			}
			t.Logf("%s, ε = %g: predicted %.2f of the true total variation; within 1.96 standard errors %.3f, which are up to %.1f times what errors call for", f.Name, float64(epsilon), ratio, within[1:], wide)
			must.Hold(t, wide <= widest, "%s, ε = %g: standard errors are %.1f times what errors call for, want %g at most", f.Name, float64(epsilon), wide, widest)
			must.Hold(t, ratio >= .8 && ratio <= 1.25, "%s, ε = %g: predicted %.2f of the true total variation, want .8 to 1.25", f.Name, float64(epsilon), ratio)
			if least := min(within[1], within[2], within[3]); least < want {
				t.Errorf("%s, ε = %g: %.3f of the cells of columns, pairs and triples are within 1.96 standard errors, want %.2f", f.Name, float64(epsilon), within[1:], want)
			}
		}
	}
}

// TestLikeARelease: a prediction of a table like a release at a third of ε is off by more than a factor of 1.6 where columns
// nearly follow from others, and within 1.5 with what that release measured of its own error. The noise is fixed.
func TestLikeARelease(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the fits, ten seconds; make nightly runs them")
	}
	i := slices.IndexFunc(families.All(), func(f families.Family) bool { return f.Name == "near-deterministic pairs" })
	x := families.All()[i].Make(60_000, 8)
	for _, epsilon := range []dp.Epsilon{.2, 2} {
		solve := func(epsilon dp.Epsilon, seed uint64) *families.Solved {
			s := must.Value(families.Solve(x, families.Request{Method: "rake", Epsilon: epsilon, Delta: 1e-9, ErrorShare: solver.ErrorShare(0)}, families.Fixed(seed)))(t)
			return s
		}
		s, like := solve(epsilon, 3), solve(epsilon/3, 9).Pattern()
		predict := func() float64 {
			p := must.Value(s.Foretold(like))(t)
			return p.AverageTV / s.AverageTV(x)
		}
		scaled := predict()
		like.Scale = 0
		plain := predict()
		t.Logf("ε = %g: predicted %.2f of the error, and %.2f with what the release measured", float64(epsilon), plain, scaled)
		must.Hold(t, plain >= 1.6, "ε = %g: %.2f of the error is predicted without a measurement, which leaves nothing to show", float64(epsilon), plain)
		must.Hold(t, math.Abs(math.Log(scaled)) <= math.Log(1.5), "ε = %g: %.2f of the error is predicted; want a factor of 1.5 at most", float64(epsilon), scaled)
	}
}
