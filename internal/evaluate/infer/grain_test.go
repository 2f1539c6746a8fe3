package infer

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// TestGrain: values that are whole numbers of a unit that is not round, with the rounding of float64, have that unit as
// resolution if a round one takes more cells than there may be; two numbers, and any numbers, have no unit.
func TestGrain(t *testing.T) {
	for _, test := range []struct {
		value func(k int) float64
		n     int
		want  string
	}{
		{func(k int) float64 { return float64(k) * 1.15078 }, 40, "min: 0, max: 45, resolution: 1.15078"},
		{func(k int) float64 { return float64(k) / 8 }, 40, "min: 0, max: 4.875, resolution: 0.025"},
		{func(k int) float64 { return float64(k) * 1.1507812345678 }, 2, "min: 0, max: 1.16, resolution: 1e-05"},
		{func(k int) float64 { return math.Sqrt(float64(k)) }, 40, "min: 0, max: 6.25, resolution: 1e-05"},
	} {
		x := newTally(column{typ: domain.Float64, typed: true}, 1)
		for k := range test.n {
			x.float(test.value(k))
		}
		if got, _ := x.number(); got != test.want {
			t.Errorf("%d values up to %g: %s; want %s", test.n, test.value(test.n-1), got, test.want)
		}
	}
}
