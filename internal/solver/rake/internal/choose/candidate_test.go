package choose

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

func randomCandidates(n int, rng *rand.Rand) []*Candidate {
	list := make([]*Candidate, n)
	for i := range list {
		sizes := []int{2 + rng.IntN(9), 2 + rng.IntN(9)}
		c := NewCandidate(Law{Power: 1}, sizes, Target{Clique: domain.Clique{0, 1}, within: .5 + 3*rng.Float64()})
		base := make([]float64, sizes[0]*sizes[1])
		for j := range base {
			base[j] = math.Exp(2 + 3*rng.NormFloat64())
		}
		c.SetBase(base)
		c.setScore(3000*rng.Float64(), 10_000)
		list[i] = c
	}
	return list
}

func TestCandidateCost(t *testing.T) {
	c := NewCandidate(Law{Power: 1}, []int{2, 2, 2}, Target{Clique: domain.Clique{0, 1, 2}})
	must.Hold(t, math.Abs(c.Cost-1./64) <= 1e-15, "2×2×2: cost %g, want 1/64", c.Cost)
	c = NewCandidate(Law{Power: 1, neighbouring: dp.Replace}, []int{2, 2}, Target{Clique: domain.Clique{0, 1}})
	if math.Abs(c.Cost-1./4) > 1e-15 { // Δ² = 1, c = 1/4
		t.Errorf("2×2 under Replace: cost %g, want 1/4", c.Cost)
	}
}

// TestPriorMeetsTheScore: under the prior the expected L1 distance is .8·Σ√v, and error(0) half of it.
func TestPriorMeetsTheScore(t *testing.T) {
	for _, c := range randomCandidates(30, rand.New(rand.NewPCG(1, 1))) {
		want := max(c.Score, 200) / 2
		if got := c.error(0); math.Abs(got-want) > 1e-6*want {
			t.Errorf("error %g without measurement, score %g", got, c.Score)
		}
		for _, u := range []float64{1e-6, 1e-4, 1e-2} {
			h := u * 1e-4
			numeric := (c.error(u-h) - c.error(u+h)) / (2 * h)
			got := c.slope(u)
			must.Hold(t, math.Abs(got-numeric) <= 1e-5*numeric, "slope %g at %g, numerically %g", got, u, numeric)
		}
	}
}

func TestWaterfillIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, budget := range []float64{1e-6, 1e-3, 1, 1e3} {
		list := randomCandidates(25, rng)
		Law{Power: 1}.waterfill(list, budget)
		spent, price := 0.0, 0.0
		for _, c := range list {
			spent += c.Cost * c.Precision
			if c.Precision > 0 {
				price = max(price, c.weight*c.slope(c.Precision)/c.Cost)
			}
		}
		must.Hold(t, math.Abs(spent-budget) <= 1e-9*budget, "budget %g: spent %g", budget, spent)
		for i, c := range list { // one price, to the precision of the tabulated curves
			at := c.weight * c.slope(c.Precision) / c.Cost
			must.Hold(t, (c.Precision <= 0 || at >= .9*price) && (c.Precision != 0 || at <= 1.1*price),
				"budget %g candidate %d: price %g at precision %g, others %g", budget, i, at, c.Precision, price)
		}
	}
}

// TestWaterfillOfLaplace: the whole budget is spent, what is bought has one price, and nothing that is left out, and fits what it
// would get, gains more for its cost.
func TestWaterfillOfLaplace(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	l := Law{Power: .5}
	for _, budget := range []float64{1e-4, 1e-2, 1, 1e3} {
		list := randomCandidates(25, rng)
		l.waterfill(list, budget)
		spent, price, bought := 0.0, 0.0, 0
		at := func(c *Candidate, u float64) float64 { return c.weight * c.slope(u) * 2 * math.Sqrt(u/c.Cost) }
		for _, c := range list {
			if spent += l.Spend(c.Cost, c.Precision); c.Precision > 0 {
				price, bought = max(price, at(c, c.Precision)), bought+1
			}
		}
		must.Hold(t, math.Abs(spent-budget) <= 1e-9*budget && bought != 0, "budget %g: spent %g on %d", budget, spent, bought)
		for i, c := range list {
			best := 0.0
			for j := range 400 {
				u := math.Ldexp(1, -60) * math.Exp2(float64(j)/4)
				best = max(best, c.weight*(c.error(0)-c.error(u))/l.Spend(c.Cost, u))
			}
			if bought > 1 && c.Precision > 0 && (at(c, c.Precision) < .7*price || best < .7*price) || bought > 1 && c.Precision == 0 && best > 1.5*price {
				t.Errorf("budget %g candidate %d: price %g at precision %g, others %g; at best %g", budget, i, at(c, c.Precision), c.Precision, price, best)
			}
		}
	}
	same := randomCandidates(1, rng)[0]
	var list []*Candidate
	for range 10 {
		one := *same
		list = append(list, &one)
	}
	l.waterfill(list, 1e-4) // which of equal ones is no matter
	must.Hold(t, slices.ContainsFunc(list, func(c *Candidate) bool { return c.Precision > 0 }), "a budget that equal tables share buys nothing")
}

func TestWaterfillOfEmptyTables(t *testing.T) {
	list := randomCandidates(2, rand.New(rand.NewPCG(3, 1)))
	for _, c := range list {
		c.SetBase(make([]float64, len(c.Base)))
		c.setScore(10, 100)
	}
	Law{Power: 1}.waterfill(list, 1)
	must.Hold(t, list[0].Precision == 0 && !list[0].Selectable(), "precision %g for a table without counts", list[0].Precision)
}

// TestShrink: one strong pair among hundreds of weak ones stays strong, noise among weak ones goes, and what is left of
// either has the standard deviation that is said: 99 % of 40,000 scores are within 3.5 of them (normal errors: 99.95 %).
func TestShrink(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	beyond, n := 0, 0
	for range 100 {
		truth, scores := make([]float64, 400), make([]float64, 400)
		for i := range truth {
			truth[i] = 300 + 20*rng.Float64()
			if i == 7 {
				truth[i] = 6000
			}
			scores[i] = truth[i] + 1000*rng.NormFloat64()
		}
		mean, deviation := shrink(scores, 1e6)
		must.Hold(t, mean[7] >= .5*scores[7] || scores[7] <= 5000, "a strong pair of %.0f became %.0f", scores[7], mean[7])
		weak := 0.0
		for i := range truth {
			if i != 7 {
				weak += math.Abs(mean[i]-truth[i]) / 399
			}
			if n++; math.Abs(mean[i]-truth[i]) > 3.5*deviation[i] {
				beyond++
			}
		}
		if weak > 300 { // of 800 before
			t.Errorf("weak pairs are off by %.0f on average", weak)
		}
	}
	must.Hold(t, beyond <= n/100, "%d of %d scores are further off than 3.5 of their standard deviations", beyond, n)
	got, _ := shrink([]float64{-5, 1}, 0)
	must.Hold(t, got[0] == 0 && got[1] == 1, "without noise: %v", got)
}

func TestTargets(t *testing.T) {
	p := solver.Problem{Workload: query.Workload{Sizes: []int{2, 3, 4, 5, 6}, Marginals: []query.Marginal{
		{Clique: domain.Clique{0}, Weight: 1}, {Clique: domain.Clique{3, 4}, Weight: 2},
		{Clique: domain.Clique{0, 1, 2}, Weight: 1}, {Clique: domain.Clique{0, 1, 2, 3}, Weight: 3}}}}
	got := NewTargets(p)
	must.Need(t, len(got.Triples) == 4 && len(got.Pairs) == 7, "%d triples and %d pairs, want 4 and 7", len(got.Triples), len(got.Pairs))
	for _, x := range got.Pairs {
		want := Target{Clique: x.Clique, within: 6} // in two triples of weight 3
		if x.Clique.Equal(domain.Clique{3, 4}) {
			want.Own, want.within = 2, 2
		}
		must.Hold(t, x.Own == want.Own && x.within == want.within, "pair %+v, want %+v", x, want)
	}
	must.Hold(t, slices.Equal(got.Weight, []float64{9, 9, 9, 11, 2}), "attribute weights %v", got.Weight)
}

// TestScreenings: the variance of a pair's cell is followed through both looks and both releases, and the variance of a
// triple through one.
func TestScreenings(t *testing.T) {
	c := &Candidate{Clique: domain.Clique{0, 1}}
	c.SetBase([]float64{100, 400, 100, 400})
	c.setScore(300, 1000)
	c.screen()
	first := c.Uncertainty
	must.Hold(t, first.Growth == 1 && first.Earlier == 0 && first.Scale == c.scale && first.Distance == 300, "after the first look: %+v", first)
	c.Uncertainty.Precision = .01
	expected := 0.0 // distance that the first release leaves
	for _, b := range []float64{100, 400, 100, 400} {
		v := first.Scale * math.Pow(b, 1.5)
		expected += .8 * math.Sqrt(v/(1+.01*v))
	}
	for _, tt := range []struct{ score, growth float64 }{{expected, 1}, {1.2 * expected, 1.44}, {9 * expected, 4}, {0, .5}} {
		d := *c
		d.setScore(tt.score, 1000)
		d.screen()
		k := d.Uncertainty
		if math.Abs(k.Growth-tt.growth) > .02 || k.Scale != first.Scale || k.Earlier != .01 || k.Precision != 0 { // bins of a quarter octave
			t.Errorf("score %.1f: %+v, want growth %g", tt.score, k, tt.growth)
		}
	}
}

// A row is in a pool or it is not: pooling all of three columns costs no more than pooling all of one, and pooling half of
// each as much as the rows that it concerns.
func TestPooledRowsCountOnce(t *testing.T) {
	for share, want := range map[float64]float64{1: 1, .5: 1 - .125} {
		r := &Candidates{Merged: &oneway.Merged{}, Ones: &oneway.Tables{}, Units: 100}
		for range 3 {
			r.Ones.List = append(r.Ones.List, oneway.Table{Counts: make([]float64, 3), Sigma: 1000})
			r.Merged.Sizes = append(r.Merged.Sizes, 2)
			r.Merged.Codes = append(r.Merged.Codes, []domain.Code{0, 0, 1})
			r.Merged.Base = append(r.Merged.Base, []float64{share, 1 - share})
		}
		got := r.predictTable(domain.Clique{0, 1, 2}, r.ownErrors())
		must.Hold(t, math.Abs(got-pooledError*want) <= 1e-12, "the part %g of each of three columns in pools: %g, want %g", share, got, pooledError*want)
	}
}

// TestCoupledOnce: a table that was released in the first round alone counts among those that columns can be coupled by.
func TestCoupledOnce(t *testing.T) {
	c := &Candidate{Clique: domain.Clique{0, 1}, scale: 1}
	c.screen()
	must.Hold(t, !c.Released(), "a table that nobody released")
	c.Uncertainty.Precision = 1
	c.screen() // the second round asks for others
	must.Hold(t, c.Released(), "the release of the first round was forgotten")
}
