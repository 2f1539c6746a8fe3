package fit

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSupposedNeverReleased: an assumed table counts as no release, and one that is released later keeps the prior that
// assumed it, its potentials and its table in the fit.
func TestSupposedNeverReleased(t *testing.T) {
	f, _ := linkedFit([]int{6, 7, 8}, 5)
	for _, c := range f.Pairs {
		c.Score, c.ScoreSD = .03*units, .01*units
	}
	f.Pairs[2].ScoreSD = .1 * units // which says nothing
	f.assume()
	c := f.Pairs[0]
	m := f.measured[c.Clique.Key()]
	must.Need(t, m != nil && f.measured[f.Pairs[2].Clique.Key()] == nil, "want tables of the pairs whose scores say something, and of no other")
	must.Hold(t, f.answered(c.Clique.Key()) == nil, "an assumed table counts as released")
	for i, b := range c.Base {
		must.Need(t, m.table.Target[i] == b && m.table.Ridge[i] > 0 && m.table.Ridge[i] <= .1*b,
			"cell %d: target %g and ridge %g of a base of %g", i, m.table.Target[i], m.table.Ridge[i], b)
	}
	table, base := m.table, c.Base
	table.Theta[0] = .5
	wrong := make([]float64, len(base))
	for i := range wrong {
		wrong[i] = base[len(base)-1-i]
	}
	c.SetBase(wrong)
	f.Add(c, query.Measurement{Clique: c.Clique, Values: make([]float64, len(base)), Variance: 100})
	if m := f.answered(c.Clique.Key()); m == nil || m.table != table || table.Theta[0] != .5 || &m.base[0] != &base[0] {
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
			must.Hold(t, is < was && m.table.Ridge[i] < last.table.Ridge[i],
				"precision %g, cell %d: %g from the counts and ridge %g, after %g and %g", precision, i, is, m.table.Ridge[i], was, last.table.Ridge[i])
			must.Hold(t, precision != 1e6 || is <= .01, "cell %d: target %g of counts %g without noise", i, m.table.Target[i], counts[i])
		}
		last = m
	}
}
