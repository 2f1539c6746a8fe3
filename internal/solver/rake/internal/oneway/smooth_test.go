package oneway

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Without noise, and for counts far above it, smoothing changes next to nothing; it keeps the sum of mirrored counts
// and returns constants as they are.
func TestSmoothKeepsWhatIsKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 1))
	for _, k := range []int{1, 3, 4, 5, 8, 31, 100} {
		counts := make([]float64, k)
		for v := range counts {
			counts[v] = 1e6 * rng.Float64()
		}
		got := smooth(counts, 0)
		must.Hold(t, slices.Equal(got, counts), "%d values without noise: %v became %v", k, counts, got)
		for v, x := range smooth(counts, 1) {
			must.Hold(t, math.Abs(x-counts[v]) <= 1, "%d values: %g became %g at a noise of 1", k, counts[v], x)
		}
		for _, x := range smooth(slices.Repeat([]float64{7}, k), 3) {
			must.Hold(t, math.Abs(x-7) <= 1e-9, "%d values: a constant of 7 became %g", k, x)
		}
	}
}

// Noise alone falls to a third of its standard deviation and less, a peak of 20 of them stays within 5, and numbers
// without order lose nothing. Means of 60 tables with fixed seeds.
func TestSmoothTakesNoiseOff(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	const k, tables, sigma = 64, 60, 10.
	shapes := map[string]struct {
		count func(v int) float64
		most  float64 // root of the mean square error, in sigmas
	}{
		"flat":    {func(int) float64 { return 50 }, .34},
		"slope":   {func(v int) float64 { return 5 * float64(v) }, .6},
		"peak":    {func(v int) float64 { return map[bool]float64{true: 250, false: 50}[v == 20] }, .45},
		"unruled": {func(v int) float64 { return float64(v*2654435761%1009) * 3 }, 1.03},
	}
	for name, s := range shapes {
		square, peak := 0.0, 0.0
		for range tables {
			counts := make([]float64, k)
			for v := range counts {
				counts[v] = s.count(v) + sigma*rng.NormFloat64()
			}
			for v, x := range smooth(counts, sigma) {
				square += (x - s.count(v)) * (x - s.count(v)) / k / tables
				if v == 20 {
					peak = max(peak, math.Abs(x-s.count(v)))
				}
			}
		}
		t.Logf("%s: %.2f of the noise, the peak within %.1f", name, math.Sqrt(square)/sigma, peak/sigma)
		got := math.Sqrt(square) / sigma
		must.Hold(t, got <= s.most, "%s: error %.2f of the noise, want at most %.2f", name, got, s.most)
		must.Hold(t, name != "peak" || peak <= 5*sigma, "the peak is off by %.1f standard deviations", peak/sigma)
	}
}

// The prior of numbers from a known mixture gives posterior means that are as close as the means that the mixture itself gives,
// to 5 %.
func TestShrinkageLearnsItsPrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	const n = 20_000
	x, truth := make([]float64, n), make([]float64, n)
	for i := range x {
		if rng.IntN(4) == 0 {
			truth[i] = 5 * rng.NormFloat64()
		}
		x[i] = truth[i] + rng.NormFloat64()
	}
	got := slices.Clone(x)
	NewShrinkage(x, 1).Apply(got)
	learned, known := 0.0, 0.0
	for i, v := range x {
		none, some := .75*math.Exp(-v*v/2), .25*math.Exp(-v*v/52)/math.Sqrt(26)
		best := v * some / (none + some) * 25 / 26
		learned += (got[i] - truth[i]) * (got[i] - truth[i])
		known += (best - truth[i]) * (best - truth[i])
	}
	must.Hold(t, learned <= 1.05*known, "square error %g, with the true prior %g", learned/n, known/n)
}
