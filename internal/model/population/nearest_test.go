package population

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNearest checks the conditions of the nearest point: p = max(y − t, 0) with one t, and Σp = total.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 500 {
		y := make([]float64, 1+rng.IntN(10))
		for i := range y {
			y[i] = 50 * rng.NormFloat64()
		}
		total := 1 + 100*rng.Float64()
		p, sum, threshold := Nearest(y, total), 0.0, math.Inf(-1)
		for i, x := range p {
			sum += x
			if x > 0 {
				threshold = y[i] - x
			}
		}
		for i, x := range p {
			if math.Abs(x-max(y[i]-threshold, 0)) > 1e-9 || math.Abs(sum-total) > 1e-9*total {
				t.Fatalf("y %v total %g: %v", y, total, p)
			}
		}
	}
}
