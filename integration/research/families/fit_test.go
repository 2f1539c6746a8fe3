package families_test

import (
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

const (
	// allowed is the error of a fit as a multiple of the error of the noisy answers that it was fitted to.
	allowed = 1.5
	// sigmas bounds a smooth function of normal noise: it exceeds its mean by more than so many times its largest
	// slope with a probability of at most exp(−sigmas²/2) = 3e-11.
	sigmas = 7
	// resolution is what a fit that ended at its largest number of sweeps, and says so, may miss a pair by, as a part of
	// the units. It shows with so many units that their noise is less: pairs of columns of 100 values, one a third of
	// the sum, .0064 on average with 500,000 units and .005 with 5,000,000, at ε = 100. The population that pairs of
	// columns are drawn from then has too few records that keep to the sum.
	resolution, manyUnits = .007, 100_000
)

// TestFit holds what the fit promises on any table. The one-way marginals together, and the pairs that were measured
// together, err by at most 1.5 times what the noise does; an error of one unit in all cells together is allowed to a
// marginal, as rows are whole. The noise is compared as it was drawn, so that chance has little part: a fit that is as
// good as its noisy answers passes whatever they are. A single column is held to the same multiple of the mean error
// of its noise, and seven standard deviations more, since it may have the errors of others that it follows from.
//
// Daily the noise is fixed, so that a failure is never chance. Nightly it is fresh: about 4,000 columns, each with a
// false-alarm rate of 3e-11, are 1.2e-7 a night.
func TestFit(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the fits, a minute of CPU; make nightly runs them")
	}
	for i, f := range families.All() {
		for j, at := range points(f.Name) {
			relation := []dp.Neighbouring{dp.AddRemove, dp.Replace}[(i+j)%2]
			t.Run(fmt.Sprintf("%s/%d/%g/%v", f.Name, at.units, float64(at.epsilon), relation), func(t *testing.T) {
				x := f.Make(at.units, 1)
				s, err := families.Solve(x, families.Request{Method: "rake", Neighbouring: relation, Epsilon: at.epsilon, Delta: 1e-9},
					families.Fixed(dptest.Seed(t)))
				must.Do(t, err)
				holds(t, x, s)
			})
		}
	}
}

// point is a size and a budget.
type point struct {
	units   int
	epsilon dp.Epsilon
}

// points returns the sizes and budgets at which a family is tried.
func points(family string) (list []point) {
	if !dptest.Nightly() {
		list = []point{{5, 1}, {1000, .01}, {20_000, .1}, {20_000, 1}}
		if family != "schedule" && family != "23 binary columns with structural zeros" { // which take five seconds and more
			list = append(list, point{50_000, 10})
		}
		return list
	}
	for _, units := range []int{5, 300, 20_000, 50_000} {
		for _, epsilon := range []dp.Epsilon{.01, .1, 1, 10} {
			list = append(list, point{units, epsilon})
		}
	}
	if family == "schedule" {
		list = append(list, point{336_776, 10})
	}
	return append(list, point{500_000, .1}, point{500_000, 10}, point{5_000_000, .01}, point{5_000_000, 1})
}

// holds fails if the fit errs by more than it may.
func holds(t *testing.T, x *families.Table, s *families.Solved) {
	t.Helper()
	unit := 1 / float64(x.Units())
	ones, limit, noise := 0.0, 0.0, map[int]float64{}
	for _, e := range s.OneWays(x) {
		a := e.Clique[0]
		noise[a] = max(e.Noise, e.Mean)
		ones += e.Model
		limit += allowed*noise[a] + unit
		most := allowed*e.Mean + sigmas*e.Slope + unit
		must.Hold(t, e.Model <= most, "column %q: error %.6f, at most %.6f allowed; mean of the noise %.6f", x.Domain.Attributes[a].Name, e.Model, most, e.Mean)
	}
	must.Hold(t, ones <= limit, "one-ways: error %.2f of what the noise allows", ones/limit)
	if s.Status == solver.Unfit && x.Units() > manyUnits {
		unit += resolution
	}
	pairs, most := 0.0, 0.0
	for _, e := range s.Pairs(x) {
		pairs += e.Model
		most += allowed*(e.Noise+noise[e.Clique[0]]+noise[e.Clique[1]]) + unit
	}
	must.Hold(t, pairs <= most, "measured pairs: error %.2f of what the noise allows", pairs/most)
	t.Logf("%v; one-ways %.2f, pairs %.2f of what is allowed", s.Status, ones/limit, pairs/most)
}
