package accountant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
)

// The same formulas in 1,500 bits: what is promised to be rounded up lies above them, however little.

const precise = 1500

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(precise).SetFloat64(x) }

func plus(x, y *big.Float) *big.Float  { return new(big.Float).SetPrec(precise).Add(x, y) }
func minus(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precise).Sub(x, y) }
func mul(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(precise).Mul(x, y) }
func quo(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(precise).Quo(x, y) }

// small reports that a term no longer matters beside a sum.
func small(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-precise
}

// exp is the Taylor series at x/2^40, squared 40 times.
func exp(x *big.Float) *big.Float {
	z := new(big.Float).SetPrec(precise).SetMantExp(x, -40)
	sum, term := exactly(1), exactly(1)
	for k := 1.0; !small(term, sum); k++ {
		term = quo(mul(term, z), exactly(k))
		sum = plus(sum, term)
	}
	for range 40 {
		sum = mul(sum, sum)
	}
	return sum
}

// log is Newton's iteration (Halley's form) on exp from the float64 value: it triples the digits each time.
func log(x *big.Float) *big.Float {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	y := exactly(math.Log(m) + float64(exponent)*math.Ln2)
	for range 4 {
		e := exp(y)
		step := quo(minus(x, e), plus(x, e))
		y = plus(y, plus(step, step))
	}
	return y
}

// pi is Machin's formula.
func pi() *big.Float {
	arctan := func(n float64) *big.Float { // of 1/n
		power, sum := quo(exactly(1), exactly(n)), exactly(0)
		for k := 1.0; k == 1 || !small(power, sum); k += 4 {
			sum = plus(sum, quo(power, exactly(k)))
			power = quo(power, exactly(n*n))
			sum = minus(sum, quo(power, exactly(k+2)))
			power = quo(power, exactly(n*n))
		}
		return sum
	}
	return minus(mul(exactly(16), arctan(5)), mul(exactly(4), arctan(239)))
}

// normal is Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …), for |x| ≤ 25: cancellation takes 450 bits.
func normal(x *big.Float) *big.Float {
	square, sum, term := mul(x, x), exactly(0), x
	for k := 1.0; sum.Sign() == 0 || !small(term, sum); k += 2 {
		sum = plus(sum, term)
		if term = quo(mul(term, square), exactly(k+2)); term.Sign() == 0 {
			break
		}
	}
	density := quo(exp(quo(square, exactly(-2))), new(big.Float).SetPrec(precise).Sqrt(mul(exactly(2), pi())))
	return plus(exactly(.5), mul(density, sum))
}

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

// TestPreciseFunctions: the references themselves, against known digits.
func TestPreciseFunctions(t *testing.T) {
	for _, c := range []struct {
		got  *big.Float
		want string
	}{
		{exp(exactly(1)), "2.7182818284590452353602874713526624977572"},
		{exp(exactly(-20)), "2.0611536224385578279659403801558209763758e-09"},
		{log(exactly(10)), "2.3025850929940456840179914546843642076011"},
		{log(exactly(1e-9)), "-20.723265836946411156161923092159277868410"},
		{pi(), "3.1415926535897932384626433832795028841972"},
		{normal(exactly(0)), "0.50000000000000000000000000000000000000000"},
		{normal(exactly(-1)), "0.15865525393145705141476745436796207752209"},
		{normal(exactly(-20)), "2.7536241186062336950756227808574543328974e-89"},
	} {
		want, _, err := big.ParseFloat(c.want, 10, precise, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		if off := quo(minus(c.got, want), want); off.Abs(off).Cmp(exactly(1e-15)) > 0 {
			t.Errorf("%s, want %s", c.got.Text('g', 40), c.want)
		}
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
			// Each term has an allowance of its own, nearly all of which is left.
			want := minus(mul(first, exactly(1+.9*0x1p-40)), mul(second, exactly(1-.9*0x1p-40)))
			j.above("GDP", GDPDeltaCeil(mu, dp.Epsilon(epsilon)), want, (toFloat(first)+toFloat(second))*0x1p-40)
		}
		r, alpha := math.Exp(-2+rng.NormFloat64()), 1.01+math.Exp(2*rng.NormFloat64())
		j.above("bounded range", BoundedRangeCurve(r)(alpha)*(1+0x1p-50), boundedRange(r, alpha), 1e-13)
		rho := epsilon * epsilon / (4 + 30*rng.Float64())
		order, best := bestDelta(rho, epsilon)
		delta := toFloat(best)
		j.above("rho to delta", RhoDeltaCeil(rho, dp.Epsilon(epsilon)), best, delta*0x1p-30)
		back := RhoCurve(rho).EpsilonCeil(dp.Delta(delta))
		j.above("curve to epsilon", back, epsilonAt(rho, delta, order), 0x1p-48*3*back)
	}
	for what, n := range j.idle {
		if n > points*9/10 {
			t.Errorf("%s: %d of %d points would be above without the allowance: it is not seen here", what, n, points)
		}
	}
}

// gdpTerms returns both terms of δ (see GDPDeltaCeil).
func gdpTerms(mu, epsilon float64) (first, second *big.Float) {
	half, at := quo(exactly(mu), exactly(2)), quo(exactly(epsilon), exactly(mu))
	return normal(minus(half, at)), mul(exp(exactly(epsilon)), normal(minus(exactly(0), plus(half, at))))
}

func toFloat(x *big.Float) float64 { y, _ := x.Float64(); return y }

// boundedRange is D_α of an r-bounded-range mechanism (see BoundedRangeCurve).
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
