package noise

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Nightly sizes find smaller errors: the factor of a scale that must be found, at power above 0.999.
var (
	draws  = dptest.Size(60_000, 1_000_000)
	factor = map[int]float64{60_000: 1.1, 1_000_000: 1.02}[draws]
)

// fit returns the p-value of the draws against a two-sided law of the given weights.
func fit(draw func() int64, reach int64, weight func(y float64) float64) float64 {
	seen, p := make([]int, 2*reach+1), make([]float64, 2*reach+1)
	for range draws {
		seen[max(-reach, min(reach, draw()))+reach]++
	}
	sum := 0.0
	for y := -20 * reach; y <= 20*reach; y++ {
		w := weight(float64(y))
		p[max(-reach, min(reach, y))+reach] += w
		sum += w
	}
	for i := range p {
		p[i] /= sum
	}
	return dptest.ChiSquare(seen, p)
}

func gaussianWeight(sigma float64) func(float64) float64 {
	return func(y float64) float64 { return math.Exp(-y * y / (2 * sigma * sigma)) }
}

func laplaceWeight(scale float64) func(float64) float64 {
	return func(y float64) float64 { return math.Exp(-math.Abs(y) / scale) }
}

// TestDrawsFit has false-alarm rate 1e-6 per case, and finds a scale that is 1.1 times the claimed one
// (nightly 1.02 times; power above 0.999): both are tried.
func TestDrawsFit(t *testing.T) {
	s := testStream(t, "fit")
	for _, sigma := range []int64{3, 10, 30} {
		g := must.Value(NewGaussian(big.NewRat(sigma*sigma, 1)))(t)
		l := must.Value(NewLaplace(big.NewRat(sigma, 1)))(t)
		gauss, laplace := func() int64 { return g.Draw(s) }, func() int64 { return l.Draw(s) }
		x := float64(sigma)
		for name, p := range map[string]float64{
			"Gaussian": fit(gauss, 6*sigma, gaussianWeight(x)), "Laplace": fit(laplace, 6*sigma, laplaceWeight(x)),
		} {
			must.Hold(t, p >= dptest.Alarm, "%s %d: p = %g", name, sigma, p)
		}
		for name, p := range map[string]float64{
			"Gaussian": fit(gauss, 6*sigma, gaussianWeight(factor*x)), "Laplace": fit(laplace, 6*sigma, laplaceWeight(factor*x)),
		} {
			must.Hold(t, p <= dptest.Alarm, "%s %d: scale ×%g not found: p = %g", name, sigma, factor, p)
		}
	}
}

// TestWideGaussianFits compares draws of large σ, in bins of σ/4, with the normal law: at σ ≥ 2^20 the
// discrete law differs from it by less than 1e-6 per bin.
func TestWideGaussianFits(t *testing.T) {
	s := testStream(t, "wide fit")
	for _, v := range []*big.Rat{big.NewRat(1<<52+12345, 1), big.NewRat(1<<62-1, 3), big.NewRat(1<<50, 1<<20-1),
		new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(3), 91))} {
		g := must.Value(NewGaussian(v))(t)
		variance, _ := v.Float64()
		sigma := math.Sqrt(variance)
		seen, p := make([]int, 41), make([]float64, 41)
		for range draws {
			bin := math.Floor(4*float64(g.Draw(s))/sigma + .5)
			seen[int(max(-20, min(20, bin)))+20]++
		}
		cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		for i := range p {
			lo, hi := (float64(i-20)-.5)/4, (float64(i-20)+.5)/4
			if i == 0 {
				lo = math.Inf(-1)
			}
			if i == 40 {
				hi = math.Inf(1)
			}
			p[i] = cdf(hi) - cdf(lo)
		}
		pv := dptest.ChiSquare(seen, p)
		must.Hold(t, pv >= dptest.Alarm, "variance %s: p = %g: %v", v, pv, seen)
	}
}

func TestConstructorsRefuse(t *testing.T) {
	huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 96))
	fine := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 80), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 50), big.NewInt(1)))
	for _, v := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2), huge, fine, new(big.Rat).Inv(huge)} {
		must.Fails(NewGaussian(v))(t, "", "Gaussian of variance %s accepted", v)
	}
	for _, v := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2), huge, big.NewRat(1<<47, 1), new(big.Rat).Inv(huge)} {
		must.Fails(NewLaplace(v))(t, "", "Laplace of scale %s accepted", v)
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	s := testStream(t, "allocations")
	g, _ := NewGaussian(big.NewRat(1<<62, 3))
	l, _ := NewLaplace(big.NewRat(1<<40, 3))
	must.Equal(t, testing.AllocsPerRun(100, func() { g.Draw(s); l.Draw(s) }), 0, "allocations per draw")
}
