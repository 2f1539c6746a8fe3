package accountant

import (
	"math"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// capacityBits: capacities are multiples of 2^-40.
const capacityBits = 40

// renyiCurve is an upper bound on the Rényi divergence of order alpha > 1 between the outputs on neighbours.
// Curves of mechanisms whose parameters were fixed before the run add up.
type renyiCurve func(alpha float64) float64

// rhoCurve returns D_α = α·rho, the curve of rho-zCDP. Source: Bun, Steinke 2016 Definition 1.1.
func rhoCurve(rho float64) renyiCurve {
	return func(alpha float64) float64 { return alpha * rho }
}

// pureCurve returns the curve of an ε-differentially private mechanism: min(α·ε·tanh(ε/2), ε).
// Source: Steinke 2024, pdp-to-zcdp.
func pureCurve(epsilon float64) renyiCurve {
	rho := epsilon * math.Tanh(epsilon/2) * (1 + 0x1p-40)
	return func(alpha float64) float64 { return min(alpha*rho, epsilon) }
}

// boundedRangeCurve returns the exact curve of an r-bounded-range mechanism, such as the exponential
// mechanism with scores of range R and scale R/r:
//
//	u   = (α−1)/α · exp(r) · expm1(−αr)/expm1(−(α−1)r)
//	D_α = ln u + ln(expm1(−αr)/(α·expm1(−r)))/(α−1)
//
// It returns min(D_α + 1e-13, α·r²/8) for α ≥ 1.01, where the float64 error is below 1e-13, and α·r²/8
// below. By convexity the worst pair is a two-point law with likelihood ratios exp(−s) and exp(r−s); D_α is
// its divergence at the worst s, which adaptive choice of the scores cannot exceed. r²/8: Dong, Durfee,
// Rogers 2020 Proposition 2. Test vector: D_2(r=1) = 0.2402290.
func boundedRangeCurve(r float64) renyiCurve {
	return func(alpha float64) float64 {
		concentrated := alpha * r * r / 8
		if alpha < 1.01 || r == 0 {
			return concentrated
		}
		whole := math.Expm1(-alpha * r)
		logU := r + math.Log((alpha-1)/alpha*(whole/math.Expm1(-(alpha-1)*r)))
		exact := logU + math.Log(whole/(alpha*math.Expm1(-r)))/(alpha-1)
		return min(exact+1e-13, concentrated)
	}
}

// sumCurves returns the curve of several mechanisms together.
func sumCurves(curves ...renyiCurve) renyiCurve {
	return func(alpha float64) float64 {
		sum := 0.0
		for _, c := range curves {
			sum += c(alpha)
		}
		return sum
	}
}

// times returns the curve of count mechanisms with curve c.
func (c renyiCurve) times(count int) renyiCurve {
	return func(alpha float64) float64 { return float64(count) * c(alpha) }
}

// epsilonCeil returns, rounded up, the least ε over a search of α for which the curve implies
// (ε, δ)-differential privacy, 0 < δ < 1:
//
//	ε = D_α + ln(1−1/α) − ln(δα)/(α−1)
//
// Every α gives a valid ε, so the search can only cost accuracy. Source: CKS Proposition 12.
func (c renyiCurve) epsilonCeil(delta dp.Delta) float64 {
	logDelta := math.Log(float64(delta))
	epsilon := func(logOrder float64) float64 { // α = 1 + exp(logOrder)
		alpha := 1 + math.Exp(logOrder)
		a, b, d := c(alpha), math.Log1p(-1/alpha), (logDelta+math.Log(alpha))/(alpha-1)
		return a + b - d + 0x1p-48*(math.Abs(a)+math.Abs(b)+math.Abs(d)) // float64 errors of the three terms
	}
	return max(0, minimum(epsilon, math.Log(1e-3), math.Log(1e9)))
}

// minimum returns the least value of f met by a grid of 128 points on [low, high] and a golden section
// around the best of them.
func minimum(f func(float64) float64, low, high float64) float64 {
	const points = 128
	step := (high - low) / points
	at, best := low, math.Inf(1)
	for i := 0; i <= points; i++ {
		x := low + float64(i)*step
		if y := f(x); y < best {
			at, best = x, y
		}
	}
	const golden = 0.6180339887498949 // (√5 − 1)/2
	a, b := at-step, at+step
	for range 60 { // 0.618^60 = 3e-13 of two steps
		c, d := b-golden*(b-a), a+golden*(b-a)
		fc, fd := f(c), f(d)
		best = min(best, fc, fd)
		if fc < fd {
			b = d
		} else {
			a = c
		}
	}
	return best
}

// RhoDeltaCeil returns, rounded up by the factor 1+2^-30, the δ for which rho-zCDP implies
// (ε, δ)-differential privacy, at the best α:
//
//	δ = exp((α−1)(α·rho−ε))·(1−1/α)^α/(α−1),   (2α−1)·rho − ε + ln(1−1/α) = 0
//
// rho and ε are above 0. Source: CKS Proposition 12. Every α gives a valid δ.
func RhoDeltaCeil(rho float64, epsilon dp.Epsilon) float64 {
	e := float64(epsilon)
	// x = α−1: near 1, α itself would have lost its digits.
	_, x := bisect.Border(0, (e+1)/(2*rho)+1, func(x float64) bool { return (2*x+1)*rho-e-math.Log1p(1/x) >= 0 })
	return math.Min(1, math.Exp(x*((x+1)*rho-e)+logFactor(x))*(1+0x1p-30))
}

// logFactor returns ln of (1−1/α)^α/(α−1), α = 1+x, without a difference of nearly equal numbers: δ near 1
// has its best order at x near 0.
func logFactor(x float64) float64 {
	if x < 1 {
		return x*math.Log(x) - (1+x)*math.Log1p(x)
	}
	return -(1+x)*math.Log1p(1/x) - math.Log(x)
}

// RhoFloor returns the largest multiple of 2^-40 for which RhoDeltaCeil(rho, ε) ≤ δ; 0 if there is
// none. 0 < ε, 1e-300 ≤ δ < 1. Test vector: RhoFloor(1, 1e-6) = 0.0243560.
func RhoFloor(epsilon dp.Epsilon, delta dp.Delta) *big.Rat {
	mustBeRange(epsilon, delta)
	steps := func(n int64) float64 { return math.Ldexp(float64(n), -capacityBits) }
	low, high := int64(0), int64(1)
	for high < 1<<52 && RhoDeltaCeil(steps(high), epsilon) <= float64(delta) {
		low, high = high, 2*high
	}
	low = bisect.Int(low, high, func(n int64) bool { return !(RhoDeltaCeil(steps(n), epsilon) <= float64(delta)) }) - 1
	return big.NewRat(low, 1<<capacityBits)
}

func mustBeRange(epsilon dp.Epsilon, delta dp.Delta) {
	if epsilon.Validate() != nil || delta.Validate() != nil || delta < leastDelta {
		panic("accountant: epsilon or delta out of range")
	}
}
