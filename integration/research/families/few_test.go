package families_test

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
)

// TestStrength: a table has its own strength, rows without dependence keep none, and a value that is gone is missed.
func TestStrength(t *testing.T) {
	table := families.Few()[0].Make(20_000, 1)
	if s := table.Strength(table.Shares); math.Abs(s.Kept-1) > 1e-6 || s.Largest > 1e-9 || s.Rare != 1 {
		t.Errorf("of itself: %+v", s)
	}
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
	if s := table.Strength(independent); s.Kept > 1e-6 || s.Largest < .4 || s.Rare != 1 {
		t.Errorf("of independent columns: %+v", s)
	}
	gone := func(c domain.Clique) []float64 {
		out := append([]float64(nil), table.Shares(c)...)
		for i, x := range out {
			if len(c) == 1 && x < .01 {
				out[i] = 0
			}
		}
		return out
	}
	if s := table.Strength(gone); s.Rare != 0 {
		t.Errorf("without rare values: %+v", s)
	}
}
