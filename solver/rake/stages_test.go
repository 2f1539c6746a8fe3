package rake

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// startRun returns a run that has the total and the one-ways.
func startRun(t *testing.T, sizes []int, capacity float64) (*run, records) {
	t.Helper()
	p := sampled(problem(sizes, 3, dp.AddRemove))
	data := table(20_000, sizes)
	r := &run{problem: p, curator: newCurator(t, data, p, capacity, 1), targets: newTargets(p), twice: 2 * capacity,
		rng: rand.New(rand.NewPCG(1, 1)), byPair: map[string]*candidate{}, tables: map[string]*measurement{}}
	r.settings = newSettings(p, r.targets)
	for _, stage := range []func() error{r.measureTotal, r.measureOneWays} {
		if err := stage(); err != nil {
			t.Fatal(err)
		}
	}
	return r, data
}

// TestOneWayNoise: the noise before centring, whose sensitivity² is 1 − 1/k, accounts for the whole share.
func TestOneWayNoise(t *testing.T) {
	r, data := startRun(t, []int{2, 9, 30}, .05)
	charge := 0.0
	for a, k := range r.targets.sizes {
		one := r.oneWays[a]
		charge += (1 - 1/float64(k)) / (2 * one.sigma * one.sigma)
		sum := 0.0
		for v, h := range data.marginal(domain.Clique{a}) {
			sum += (one.counts[v] - h) * (one.counts[v] - h)
		}
		// A mean of squares of k normal variables is below 4 times its expectation for these seeds.
		if limit := 4 * (one.variance + r.total.Variance/float64(k*k)); sum/float64(k) > limit {
			t.Errorf("attribute %d: mean square error %g, limit %g", a, sum/float64(k), limit)
		}
	}
	if want := r.settings.oneWays.Float() * .05; math.Abs(charge-want) > 1e-9*want {
		t.Errorf("charge %g, want %g", charge, want)
	}
}

// TestTakeRefines: a second residual of a table is averaged in by precision, and its ridge falls as its
// variance does.
func TestTakeRefines(t *testing.T) {
	r, _ := startRun(t, []int{2, 2, 2}, .05)
	r.merged = merge(r.oneWays, r.total.Units, nil)
	c := newCandidate(dp.AddRemove, r.merged.sizes, target{clique: domain.Clique{0, 1}, within: 1})
	c.setBase(r.merged.independent(c.clique, r.total.Units))
	c.setScore(500, r.total.Units)
	r.addMeasurement(c, query.Measurement{Clique: c.clique, Values: []float64{8, -8, -8, 8}, Variance: 4})
	first := r.tables[c.clique.Key()]
	ridge := first.table.Ridge[0]
	r.addMeasurement(c, query.Measurement{Clique: c.clique, Values: []float64{12, -12, -12, 12}, Variance: 4. / 3})
	got := r.tables[c.clique.Key()]
	if got != first || math.Abs(got.values[1]+11) > 1e-9 || math.Abs(got.precision-1) > 1e-9 || math.Abs(got.table.Ridge[0]-ridge/4) > 1e-9*ridge {
		t.Errorf("values %v, precision %g, ridge %g from %g", got.values, got.precision, got.table.Ridge[0], ridge)
	}
}

// TestTreeMeetsItsPairs: the pairs that scored highest are fitted in the tree before the sample is drawn.
func TestTreeMeetsItsPairs(t *testing.T) {
	r, data := startRun(t, []int{6, 30, 40, 50, 20}, 100)
	if err := r.measurePairs(); err != nil {
		t.Fatal(err)
	}
	for _, x := range r.tables { // as before the fit
		clear(x.table.Theta)
	}
	r.oneways = r.oneTables()
	tree := r.tree()
	if tree.Cells() > treeCells {
		t.Errorf("a tree of %d cells", tree.Cells())
	}
	best := r.pairs[0]
	for _, c := range r.pairs {
		if c.score > best.score && tree.Covers(c.clique) {
			best = c
		}
	}
	h := r.merged.codes.Merge(best.clique, r.targets.sizes, whole(data.marginal(best.clique)))
	distance := 0.0
	for c, g := range tree.Marginal(best.clique, make([]float64, len(h))) {
		distance += math.Abs(g-float64(h[c])) / 2 / 20_000
	}
	if distance > .02 {
		t.Errorf("pair %v: total variation %g", best.clique, distance)
	}
}

func whole(table []float64) []int64 {
	out := make([]int64, len(table))
	for i, x := range table {
		out[i] = int64(x)
	}
	return out
}
