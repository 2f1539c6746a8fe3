package miss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/model/miss"
)

// TestSum: of models that are off by a known number of units, the units in wrong cells are at least as many and, unless noise hides
// them, at most three times as many.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 71))
	for range 500 {
		cells, off, sd := 4+r.IntN(200), math.Exp(8*r.Float64()), math.Exp(3*r.Float64())
		var s miss.Sum
		units := 0.0
		for range cells {
			x := off * r.NormFloat64()
			units += math.Abs(x) / 2
			s.Add(x+sd*r.NormFloat64(), sd*sd)
		}
		got := s.Units(float64(cells))
		if spare := 4 * sd * math.Sqrt(float64(cells)); got > 3*units+float64(cells)*sd || got < .9*units-spare && off > sd {
			t.Errorf("%d cells off by %.3g beside noise of %.3g: %.3g units, want %.3g", cells, off, sd, got, units)
		}
	}
}
