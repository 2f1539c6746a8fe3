package families_test

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	_ "github.com/dapple-dp/dapple/integration/research/rivals" // mst
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestFewPeople: the strongest pairs of few people keep about as much of their correlation as in mst's model, and triples err by less.
// The noise is fixed. The survey keeps .53 with this noise, of mst's .63, the chain .69 of .51, the blocks .62 of .53. Without links of
// hidden cells, and with scores of at most .05 of the budget, the survey kept .09.
func TestFewPeople(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for 18 fits, 25 CPU seconds; make nightly runs it")
	}
	for _, f := range families.Few()[:3] {
		table := f.Make(2800, 1)
		var kept, off [2]float64
		for i, method := range []string{"rake", "mst"} {
			for seed := range uint64(3) {
				s := must.Value(families.Solve(table, families.Request{Method: method, Neighbouring: dp.AddRemove, Epsilon: 1, Delta: 1e-9, Unrecorded: true}, families.Fixed(seed)))(t)
				model := func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) }
				kept[i] += table.Strength(model).Kept / 3
				off[i] += s.AverageTV(table) / 3
			}
		}
		t.Logf("%s: kept %.2f, of mst %.2f; total variation %.4f, of mst %.4f", f.Name, kept[0], kept[1], off[0], off[1])
		must.Hold(t, kept[0] >= .7*kept[1] && off[0] <= off[1],
			"%s: kept %.2f, want .7 of mst's %.2f; total variation %.4f, want at most %.4f", f.Name, kept[0], kept[1], off[0], off[1])
	}
}

// TestStrength: a table has its own strength, rows without dependence keep none, and a value that is gone is missed.
func TestStrength(t *testing.T) {
	table := families.Few()[0].Make(20_000, 1)
	s := table.Strength(table.Shares)
	must.Hold(t, math.Abs(s.Kept-1) <= 1e-6 && s.Largest <= 1e-9 && s.Rare == 1, "of itself: %+v", s)
	independent := func(c domain.Clique) []float64 {
		out := []float64{1}
		for _, a := range c {
			var next []float64
			for _, x := range out {
				for _, y := range table.Shares(domain.Clique{a}) {
					next = append(next, x*y)
				}
			}
			out = next
		}
		return out
	}
	s = table.Strength(independent)
	must.Hold(t, s.Kept <= 1e-6 && s.Largest >= .4 && s.Rare == 1, "of independent columns: %+v", s)
	gone := func(c domain.Clique) []float64 {
		out := append([]float64(nil), table.Shares(c)...)
		for i, x := range out {
			if len(c) == 1 && x < .01 {
				out[i] = 0
			}
		}
		return out
	}
	s = table.Strength(gone)
	must.Hold(t, s.Rare == 0, "without rare values: %+v", s)
}
