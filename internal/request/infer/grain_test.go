package infer

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// TestGrain: the resolution is the largest round number that all values are multiples of, with the rounding of float64, if that
// takes no more cells than there may be.
func TestGrain(t *testing.T) {
	for _, test := range []struct {
		value func(k int) float64
		n     int
		want  string
	}{
		{func(k int) float64 { return float64(k) / 8 }, 40, "min: 0, max: 4.875, resolution: 0.025"},
		{func(k int) float64 { return float64(k) * 1.1507812345678 }, 2, "min: 0, max: 1.16, resolution: 1e-05"},
		{func(k int) float64 { return math.Sqrt(float64(k)) }, 40, "min: 0, max: 6.25, resolution: 1e-05"},
	} {
		x := newTally(table.Column{Type: domain.Float64}, 1)
		for k := range test.n {
			x.float(test.value(k))
		}
		if cells, _ := x.number(); cells.String() != ", "+test.want {
			t.Errorf("%d values up to %g: %s; want %s", test.n, test.value(test.n-1), cells, test.want)
		}
	}
}
