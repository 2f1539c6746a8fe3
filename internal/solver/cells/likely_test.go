package cells

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestLikely: where most cells are empty likely counts are at most half as far from the truth as answers, in squares, and none is further than
// 3 standard deviations from its answer, nor below 0. Cells of independent columns have no law of their own. Fixed seed.
func TestLikely(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 5))
	for range 100 {
		k, sigma, wide := 20+rng.IntN(30), 2*math.Exp(rng.Float64()), 1+rng.IntN(4)
		truth, rows, columns := make([]float64, k*k), make([]float64, k), make([]float64, k)
		for range 8000 {
			x := int(float64(k) * math.Pow(rng.Float64(), 1.5))
			y := (x*7 + rng.IntN(wide)) % k
			truth[x*k+y], rows[x], columns[y] = truth[x*k+y]+1, rows[x]+1, columns[y]+1
		}
		answers, base := make([]float64, k*k), make([]float64, k*k)
		for i, n := range truth {
			answers[i], base[i] = n+sigma*rng.NormFloat64(), rows[i/k]*columns[i%k]/8000
		}
		mean, share := Likely(answers, base, sigma*sigma)
		must.Need(t, mean != nil && share >= .7, "%d × %d, σ = %.1f: %.2f of the cells have a law of their own", k, k, sigma, share)
		off, noise := 0.0, 0.0
		for i, x := range mean {
			off, noise = off+(x-truth[i])*(x-truth[i]), noise+(answers[i]-truth[i])*(answers[i]-truth[i])
			must.Hold(t, x >= 0 && x >= answers[i]-3.001*sigma && x <= max(0, answers[i]+3.001*sigma),
				"%d × %d, σ = %.1f: an answer of %.1f has a likely count of %.1f", k, k, sigma, answers[i], x)
		}
		must.Hold(t, off <= noise/2, "%d × %d, σ = %.1f: squared errors are %.2f of those of answers", k, k, sigma, off/noise)
		for i, b := range base {
			answers[i] = b + math.Sqrt(b)*rng.NormFloat64() + sigma*rng.NormFloat64()
		}
		if _, share := Likely(answers, base, sigma*sigma); share > .2 {
			t.Errorf("%d × %d, σ = %.1f: %.2f of the cells of independent columns have a law of their own", k, k, sigma, share)
		}
	}
}
