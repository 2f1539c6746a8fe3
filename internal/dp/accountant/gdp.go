package accountant

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// discreteDelta returns (1+exp(ε))·coordinates·0.021/2^60, rounded up: what discrete Gaussian noise of a
// standard deviation of at least 2^30 grid steps adds to the δ of the continuous one.
//
// The discrete Gaussian is within total variation 0.021/σ² of the normal rounded to whole steps: their
// masses differ by a 24th of φ's second derivative to leading order, which sums to 4·φ(1)/(48·σ²) =
// 0.0202/σ². Rounding is post-processing; the two neighbours' distances, one of them times exp(ε), add
// to δ.
func discreteDelta(epsilon float64, coordinates int64) float64 {
	return (1 + math.Exp(epsilon)) * float64(coordinates) * math.Ldexp(0.021, -2*gdpGridBits) * (1 + 0x1p-40)
}

// GDPDeltaCeil returns, rounded up, the least δ for which μ-Gaussian differential privacy implies
// (ε, δ)-differential privacy, for μ > 0 and 0 ≤ ε ≤ 200:
//
//	δ = Φ(−ε/μ + μ/2) − exp(ε)·Φ(−ε/μ − μ/2)
//
// Source: Dong, Roth, Su 2022 Corollary 2.13; Balle, Wang 2018 Theorem 8. The second term is computed in
// log space; the first is multiplied by 1+2^-40 and the second by 1−2^-40, which covers their float64
// errors (below 6e-13 relative for arguments down to −37).
func GDPDeltaCeil(mu float64, epsilon dp.Epsilon) float64 {
	if !(mu > 0) {
		panic("accountant: mu is not above 0")
	}
	e := float64(epsilon)
	first := math.Exp(logPhi(-e/mu+mu/2)) * (1 + 0x1p-40)
	second := math.Exp(e+logPhi(-e/mu-mu/2)) * (1 - 0x1p-40)
	return math.Min(1, math.Max(0, first-second))
}

// logPhi returns ln Φ(x), Φ the distribution function of the standard normal.
func logPhi(x float64) float64 {
	if x > -30 {
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	// Φ(x) = φ(x)·1/(t+1/(t+2/(t+3/(t+…)))), t = −x; at t ≥ 30 twenty terms exceed float64 precision.
	t := -x
	fraction := t
	for k := 20; k >= 1; k-- {
		fraction = t + float64(k)/fraction
	}
	return -x*x/2 - math.Log(fraction) - math.Log(2*math.Pi)/2
}

// MuFloor returns the largest float64 μ with GDPDeltaCeil(μ, ε) ≤ δ, for 0 < ε ≤ 200 and
// 1e-300 ≤ δ < 1. Test vector: MuFloor(1, 1e-6) = 0.2367044.
func MuFloor(epsilon dp.Epsilon, delta dp.Delta) float64 {
	mustBeRange(epsilon, delta)
	low, high := 0.0, 1.0
	for GDPDeltaCeil(high, epsilon) <= float64(delta) {
		low, high = high, 2*high
	}
	low, _ = bisect.Border(low, high, func(mu float64) bool { return GDPDeltaCeil(mu, epsilon) > float64(delta) })
	return low
}

// gdpEpsilonCeil returns, rounded up to a multiple of 2^-40, an ε with GDPDeltaCeil(μ, ε) +
// (1+exp(ε))·coordinates·0.021/2^60 ≤ δ, which is what discrete Gaussian noise satisfies. It searches up to the given
// maximum, and returns the maximum if nothing below it satisfies the inequality.
func gdpEpsilonCeil(mu float64, coordinates int64, delta dp.Delta, most dp.Epsilon) dp.Epsilon {
	high := bisect.Int(0, int64(math.Ceil(math.Ldexp(float64(most), capacityBits))), func(n int64) bool {
		e := math.Ldexp(float64(n), -capacityBits)
		return (GDPDeltaCeil(mu, dp.Epsilon(e))+discreteDelta(e, coordinates))*(1+0x1p-50) <= float64(delta)
	})
	return min(most, dp.Epsilon(math.Ldexp(float64(high), -capacityBits)))
}
