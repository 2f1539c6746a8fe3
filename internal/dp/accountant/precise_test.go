package accountant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The same formulas in 1,500 bits: what is promised to be rounded up lies above them, however little.

const precise dptest.Bits = 1500

var (
	exactly, exp, log, normal = precise.Of, precise.Exp, precise.Log, precise.Normal
	plus, minus, mul, quo     = precise.Add, precise.Sub, precise.Mul, precise.Quo
)

// judge holds results to be above exact values. idle counts those that would be without their allowance.
type judge struct {
	*testing.T
	idle map[string]int
}

func (j judge) above(what string, got float64, want *big.Float, allowance float64) {
	j.Helper()
	if exactly(got).Cmp(want) < 0 {
		j.Errorf("%s: %.17g is below %s", what, got, want.Text('g', 20))
	}
	if exactly(got-allowance).Cmp(want) >= 0 {
		j.idle[what]++
	}
}

// TestBoundsInHighPrecision: every conversion that rounds outwards, at random arguments, against its formula in high
// precision. That it does so by its allowance and not by luck: without, some of each would fall below.
func TestBoundsInHighPrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	j := judge{t, map[string]int{}}
	const points = 40
	for range points {
		epsilon, mu := math.Exp(-1+rng.NormFloat64()), math.Exp(-1+.7*rng.NormFloat64())
		if epsilon/mu+mu/2 < 20 {
			first, second := gdpTerms(mu, epsilon)
			// Each term has an allowance of its own and uses hardly any of it.
			want := minus(mul(first, exactly(1+.9*0x1p-40)), mul(second, exactly(1-.9*0x1p-40)))
			j.above("GDP", GDPDeltaCeil(mu, dp.Epsilon(epsilon)), want, (toFloat(first)+toFloat(second))*0x1p-40)
		}
		r, alpha := math.Exp(-2+rng.NormFloat64()), 1.01+math.Exp(2*rng.NormFloat64())
		j.above("bounded range", boundedRangeCurve(r)(alpha)*(1+0x1p-50), boundedRange(r, alpha), 1e-13)
		rho := epsilon * epsilon / (4 + 30*rng.Float64())
		order, best := bestDelta(rho, epsilon)
		delta := toFloat(best)
		j.above("rho to delta", RhoDeltaCeil(rho, dp.Epsilon(epsilon)), best, delta*0x1p-30)
		back := rhoCurve(rho).epsilonCeil(dp.Delta(delta))
		j.above("curve to epsilon", back, epsilonAt(rho, delta, order), 0x1p-48*3*back)
	}
	for what, n := range j.idle {
		must.Hold(t, n <= points*9/10, "%s: %d of %d points would be above without the allowance: it is not seen here", what, n, points)
	}
}

// TestRhoDeltaNearOne: capacities at a δ near 1, whose best order is near 1, hold in high precision, and are not far
// from the largest.
func TestRhoDeltaNearOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	const points = 300
	near := 0
	for range points {
		epsilon, delta := math.Exp(-2+4*rng.NormFloat64()), 1-math.Exp(-5-30*rng.Float64())
		if epsilon < 1e-6 || epsilon > 200 || delta == 1 {
			continue
		}
		rho, _ := RhoFloor(dp.Epsilon(epsilon), dp.Delta(delta)).Float64()
		if rho >= 1<<12 {
			continue // the search for rho ends at 2^12
		}
		near++
		if got := leastDeltaAt(rho, epsilon); got.Cmp(exactly(delta)) > 0 {
			t.Errorf("ε = %g, δ = 1−%.3g: rho %g needs 1−%.3g", epsilon, 1-delta, rho, toFloat(minus(exactly(1), got)))
		}
		more := leastDeltaAt(rho*1.01, epsilon)
		must.Hold(t, delta >= 1-1e-6 || more.Cmp(exactly(delta)) > 0, "ε = %g, δ = 1−%.3g: a rho of 1.01·%g would do", epsilon, 1-delta, rho)
	}
	must.Hold(t, near >= points/2, "%d points only", near)
}

// leastDeltaAt is RhoDeltaCeil's formula in x = α−1 at its best x, which is bisected in float64 on the slope's own scale.
func leastDeltaAt(rho, epsilon float64) *big.Float {
	low, high := -800.0, 800.0 // of ln x
	for range 200 {
		if middle := low + (high-low)/2; (2*math.Exp(middle)+1)*rho-epsilon-math.Log1p(math.Exp(-middle)) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	x, one := exactly(math.Exp(high)), exactly(1)
	exponent := mul(x, minus(mul(plus(x, one), exactly(rho)), exactly(epsilon)))
	exponent = plus(exponent, mul(plus(x, one), log(quo(x, plus(x, one)))))
	return quo(exp(exponent), x)
}

// gdpTerms returns both terms of δ (see GDPDeltaCeil).
func gdpTerms(mu, epsilon float64) (first, second *big.Float) {
	half, at := quo(exactly(mu), exactly(2)), quo(exactly(epsilon), exactly(mu))
	return normal(minus(half, at)), mul(exp(exactly(epsilon)), normal(minus(exactly(0), plus(half, at))))
}

func toFloat(x *big.Float) float64 { y, _ := x.Float64(); return y }

// boundedRange is D_α of an r-bounded-range mechanism (see boundedRangeCurve).
func boundedRange(r, alpha float64) *big.Float {
	one, a, x := exactly(1), exactly(alpha), exactly(r)
	b := minus(a, one)
	expm1 := func(y *big.Float) *big.Float { return minus(exp(y), one) }
	negative := func(y *big.Float) *big.Float { return minus(exactly(0), y) }
	u := mul(mul(quo(b, a), exp(x)), quo(expm1(negative(mul(a, x))), expm1(negative(mul(b, x)))))
	rest := quo(expm1(negative(mul(a, x))), mul(a, expm1(negative(x))))
	return plus(log(u), quo(log(rest), b))
}

// bestDelta returns the best order for rho-zCDP at ε, and the δ there. An order that is off by 1e-14 gives a δ that
// is off by 1e-27.
func bestDelta(rho, epsilon float64) (alpha float64, delta *big.Float) {
	low, high := 1.0, (epsilon+1)/(2*rho)+2
	for range 200 {
		if alpha = low + (high-low)/2; (2*alpha-1)*rho-epsilon+math.Log1p(-1/alpha) < 0 {
			low = alpha
		} else {
			high = alpha
		}
	}
	a, one := exactly(alpha), exactly(1)
	b := minus(a, one)
	exponent := mul(b, minus(mul(a, exactly(rho)), exactly(epsilon)))
	exponent = plus(exponent, mul(a, log(minus(one, quo(one, a)))))
	return alpha, quo(exp(exponent), b)
}

// epsilonAt returns ε at δ and a given order.
func epsilonAt(rho, delta, alpha float64) *big.Float {
	a, one := exactly(alpha), exactly(1)
	sum := plus(mul(a, exactly(rho)), log(minus(one, quo(one, a))))
	return minus(sum, quo(log(mul(exactly(delta), a)), minus(a, one)))
}
