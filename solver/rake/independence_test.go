package rake

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// TestAssumedPairs: two independent columns of which a third is the sum stay nearly independent, though the pairs that
// were released are those with the sum. Fixed seed.
func TestAssumedPairs(t *testing.T) {
	const n, k = 100_000, 32
	p := sampled(problem([]int{k, k, 2 * k, 12, 12}, 2, dp.AddRemove))
	p.Units = n
	rng := rand.New(rand.NewPCG(4, 4))
	data := records{sizes: p.Workload.Sizes, columns: make([][]domain.Code, 5)}
	for range n {
		a, b := rng.IntN(k), rng.IntN(k)
		for i, v := range []int{a, b, a + b, (a + rng.IntN(12)) % 12, rng.IntN(12)} {
			data.columns[i] = append(data.columns[i], domain.Code(v))
		}
	}
	mu := solver.GaussianMu(1, 1e-9)
	r, err := Solve(p, newCurator(t, data, p, mu*mu/2, 1))
	if err != nil {
		t.Fatal(err)
	}
	off, counts := 0.0, data.marginal(domain.Clique{0, 1})
	for i, x := range r.Model.Marginal(domain.Clique{0, 1}, nil) {
		off += math.Abs(x-counts[i]) / (2 * n)
	}
	t.Logf("independent columns with a sum: total variation %.4f", off)
	if most := .06; off > most {
		t.Errorf("independent columns with a sum: total variation %.4f, want at most %g", off, most)
	}
}

// TestSupposedNeverReleased: an assumed table counts as no release, and one that is released later keeps the prior that
// assumed it, its potentials and its table in the fit.
func TestSupposedNeverReleased(t *testing.T) {
	r, _ := startRun(t, []int{6, 7, 8}, .05)
	r.merged = merge(r.oneWays, r.total.Units, nil)
	for _, x := range r.targets.pairs {
		c := newCandidate(dp.AddRemove, r.merged.sizes, x)
		c.setBase(r.merged.unlinked(c.clique, r.total.Units))
		c.score, c.scoreSD = .03*r.total.Units, .01*r.total.Units
		r.pairs = append(r.pairs, c)
	}
	r.pairs[2].scoreSD = .1 * r.total.Units // which says nothing
	r.assume()
	c := r.pairs[0]
	m := r.tables[c.clique.Key()]
	if m == nil || r.tables[r.pairs[2].clique.Key()] != nil {
		t.Fatal("want tables of the pairs whose scores say something, and of no other")
	}
	if r.answered(c.clique.Key()) != nil {
		t.Error("an assumed table counts as released")
	}
	for i, b := range c.base {
		if m.table.Target[i] != b || !(m.table.Ridge[i] > 0) || m.table.Ridge[i] > .1*b {
			t.Fatalf("cell %d: target %g and ridge %g of a base of %g", i, m.table.Target[i], m.table.Ridge[i], b)
		}
	}
	table, base := m.table, c.base
	table.Theta[0] = .5
	wrong := make([]float64, len(base))
	for i := range wrong {
		wrong[i] = base[len(base)-1-i]
	}
	c.setBase(wrong)
	r.addMeasurement(c, query.Measurement{Clique: c.clique, Values: make([]float64, len(base)), Variance: 100})
	if m := r.answered(c.clique.Key()); m == nil || m.table != table || table.Theta[0] != .5 || &m.base[0] != &base[0] {
		t.Error("the release of an assumed pair began anew")
	}
}

// TestHold: the more precise the release of an assumed pair, the further its target moves from independent columns to the
// counts, and the less ridge is left; a release with next to no precision leaves the target where it was.
func TestHold(t *testing.T) {
	base := []float64{400, 100, 200, 50}
	counts := []float64{430, 70, 170, 80}
	at := func(precision float64) *measurement {
		m := &measurement{base: base, relative: .05, precision: precision, shape: []int{2, 2}, assumed: true}
		m.table = population.NewTable([]int{2, 2}, domain.Clique{0, 1}, make([]float64, 4), make([]float64, 4))
		if precision > 0 {
			for i, x := range counts {
				m.values = append(m.values, x)
				m.values[i] -= lowerPart(base, m.shape)[i]
			}
			m.lower = lowerPart(base, m.shape)
			m.aim()
			return m
		}
		m.shrinkToIndependence()
		return m
	}
	none, last := at(0), at(1e-9)
	for i, b := range base {
		if x := last.table; none.table.Target[i] != b || math.Abs(x.Target[i]-b) > .01 || x.Ridge[i] > 1.01/assumedPart*none.table.Ridge[i] {
			t.Errorf("cell %d: a release that says nothing makes target %g and ridge %g; without it %g and %g", i, x.Target[i], x.Ridge[i], b, none.table.Ridge[i])
		}
	}
	for _, precision := range []float64{1e-3, 1e-2, 1e6} {
		m := at(precision)
		for i := range base {
			was, is := math.Abs(last.table.Target[i]-counts[i]), math.Abs(m.table.Target[i]-counts[i])
			if !(is < was) || !(m.table.Ridge[i] < last.table.Ridge[i]) {
				t.Errorf("precision %g, cell %d: %g from the counts and ridge %g, after %g and %g", precision, i, is, m.table.Ridge[i], was, last.table.Ridge[i])
			}
			if precision == 1e6 && is > .01 {
				t.Errorf("cell %d: target %g of counts %g without noise", i, m.table.Target[i], counts[i])
			}
		}
		last = m
	}
}
