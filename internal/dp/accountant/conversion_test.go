package accountant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// hockeyStick integrates max(0, φ(x) − exp(ε)·φ(x+μ)) dx: the least δ of N(0,1) against N(−μ,1), by the
// trapezoidal rule from the point where the densities cross, in 10⁵ steps over 12 standard deviations.
func hockeyStick(mu, epsilon float64) float64 {
	phi := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	from := epsilon/mu - mu/2 // φ(x)/φ(x+μ) = exp(μx + μ²/2) = exp(ε)
	const steps = 100_000
	h, sum := 12.0/steps, 0.0
	for i := 1; i < steps; i++ { // the integrand is 0 at both ends
		x := from + float64(i)*h
		sum += phi(x) - math.Exp(epsilon)*phi(x+mu)
	}
	return sum * h
}

// TestGDPAgainstQuadrature also shows that the exp(ε) term is there: without it the values differ.
func TestGDPAgainstQuadrature(t *testing.T) {
	for _, mu := range []float64{0.05, 0.2, 1, 3} {
		for _, epsilon := range []float64{0.1, 0.5, 1, 2, 4} {
			want := hockeyStick(mu, epsilon)
			if want < 1e-200 {
				continue
			}
			got := GDPDeltaCeil(mu, dp.Epsilon(epsilon))
			must.Hold(t, near(got, want, 1e-6*want), "μ = %g, ε = %g: δ = %g, want %g", mu, epsilon, got, want)
			first := math.Exp(logPhi(-epsilon/mu + mu/2))
			must.Hold(t, mu > 1 || first >= 1.5*want, "μ = %g, ε = %g: a missing second term would not show", mu, epsilon)
		}
	}
}

// TestLogPhi: the two branches agree where they meet, with the asymptotic series as the judge.
func TestLogPhi(t *testing.T) {
	series := func(t float64) float64 { // ln of φ(t)/t·(1 − 1/t² + 3/t⁴ − 15/t⁶ + 105/t⁸), next term below 1e-11
		q := 1 / (t * t)
		return -t*t/2 - math.Log(t) - math.Log(2*math.Pi)/2 + math.Log1p(-q*(1-3*q*(1-5*q*(1-7*q))))
	}
	for _, x := range []float64{-29.5, -29.999, -30, -30.001, -36, -100, -1e4} {
		got, want := logPhi(x), series(-x)
		must.Hold(t, near(got, want, 1e-11+1e-14*math.Abs(want)), "ln Φ(%g) = %.15g, want %.15g", x, got, want)
	}
	got := logPhi(0)
	must.Hold(t, near(got, -math.Ln2, 1e-15), "ln Φ(0) = %g", got)
}

// TestRhoDeltaBoundsGaussians: the zCDP conversion is above the exact δ of the Gaussian with that rho, and
// not far above: dropping (1−1/α)^α, a factor near e, would pass the upper limit.
func TestRhoDeltaBoundsGaussians(t *testing.T) {
	for _, row := range []struct{ rho, epsilon float64 }{{0.0243560, 1}, {0.0149731, 1}, {3.21048e-4, 0.1}, {0.463065, 5}} {
		exact := GDPDeltaCeil(math.Sqrt(2*row.rho), dp.Epsilon(row.epsilon))
		got := RhoDeltaCeil(row.rho, dp.Epsilon(row.epsilon))
		must.Hold(t, got >= exact && got <= 8*exact, "rho = %g, ε = %g: δ = %g, the Gaussian's is %g", row.rho, row.epsilon, got, exact)
	}
}

// TestRhoDeltaIsTheBestOrder compares with a search over α, and shows that the conversion without the
// factor (1−1/α)^α would be seen.
func TestRhoDeltaIsTheBestOrder(t *testing.T) {
	for _, row := range []struct{ rho, epsilon float64 }{{0.0243560, 1}, {3.21048e-4, 0.1}, {0.463065, 5}, {2, 1}, {1e-6, 0.01}} {
		best, bare := math.Inf(1), math.Inf(1)
		for x := math.Log(1e-4); x < math.Log(1e8); x += 1e-4 {
			alpha := 1 + math.Exp(x)
			exponent := (alpha - 1) * (alpha*row.rho - row.epsilon)
			bare = min(bare, math.Exp(exponent)/(alpha-1))
			best = min(best, math.Exp(exponent+alpha*math.Log1p(-1/alpha))/(alpha-1))
		}
		got := RhoDeltaCeil(row.rho, dp.Epsilon(row.epsilon))
		must.Hold(t, got <= best*(1+1e-6) && got >= best*(1-1e-6), "rho = %g, ε = %g: δ = %g, search finds %g", row.rho, row.epsilon, got, best)
		must.Hold(t, bare >= 1.3*best, "rho = %g, ε = %g: the factor (1−1/α)^α would not show", row.rho, row.epsilon)
	}
}

// TestFloorsAreTheLargest: verified at the value, refuted one step above.
func TestFloorsAreTheLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		epsilon := dp.Epsilon(math.Exp(3 * rng.NormFloat64()))
		delta := dp.Delta(math.Exp(-1 - 40*rng.Float64()))
		steps := new(big.Rat).Mul(RhoFloor(epsilon, delta), power(capacityBits))
		must.Need(t, steps.IsInt(), "rho(%g, %g) off the grid", float64(epsilon), float64(delta))
		n := float64(steps.Num().Int64())
		must.Hold(t, n <= 0 || RhoDeltaCeil(math.Ldexp(n, -capacityBits), epsilon) <= float64(delta),
			"rho(%g, %g) is not verified", float64(epsilon), float64(delta))
		must.Hold(t, RhoDeltaCeil(math.Ldexp(n+1, -capacityBits), epsilon) > float64(delta), "rho(%g, %g) is not the largest", float64(epsilon), float64(delta))
		if epsilon > largestGDPEpsilon {
			continue
		}
		mu := MuFloor(epsilon, delta)
		must.Hold(t, GDPDeltaCeil(mu, epsilon) <= float64(delta) && GDPDeltaCeil(math.Nextafter(mu, 1e9), epsilon) > float64(delta),
			"mu(%g, %g) = %g is not the last to be verified", float64(epsilon), float64(delta), mu)
	}
}

// TestOutwardRounding: upper bounds lie above values computed with much smaller rounding allowances.
func TestOutwardRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 1000 {
		rho, epsilon := math.Exp(-4+2*rng.NormFloat64()), math.Exp(rng.NormFloat64())
		alpha := 1 + math.Exp(2+2*rng.NormFloat64())
		delta := math.Exp((alpha-1)*(alpha*rho-epsilon)+alpha*math.Log1p(-1/alpha)) / (alpha - 1)
		best := RhoDeltaCeil(rho, dp.Epsilon(epsilon))
		must.Need(t, best >= 1 || best <= delta*(1+0x1p-29), "rho %g, ε %g: δ %g, but α = %g gives %g", rho, epsilon, best, alpha, delta)
		if best > 0.5 || best < leastDelta {
			continue // the search over α of EpsilonCeil starts at 1.001
		}
		back := rhoCurve(rho).epsilonCeil(dp.Delta(best / (1 + 0x1p-30)))
		must.Need(t, back >= epsilon*(1-1e-12) && back <= epsilon*(1+1e-9), "rho %g: ε %g → δ %g → ε %g", rho, epsilon, best, back)
	}
}

// TestDiscreteGaussianIsNearTheRoundedNormal: total variation at most 0.021/σ², and above 0.0195/σ² for the
// wider ones, so that the constant is not idle.
func TestDiscreteGaussianIsNearTheRoundedNormal(t *testing.T) {
	for _, sigma := range []float64{1, 2, 5, 20, 100} {
		mass, distance := 0.0, 0.0
		tail := math.Ceil(9 * sigma)
		for y := -tail; y <= tail; y++ {
			mass += math.Exp(-y * y / (2 * sigma * sigma))
		}
		for y := -tail; y <= tail; y++ {
			rounded := math.Abs(math.Erfc((math.Abs(y)-0.5)/(sigma*math.Sqrt2))-math.Erfc((math.Abs(y)+0.5)/(sigma*math.Sqrt2))) / 2
			distance += math.Abs(math.Exp(-y*y/(2*sigma*sigma))/mass-rounded) / 2
		}
		scaled := distance * sigma * sigma
		must.Hold(t, scaled <= 0.021 && (sigma <= 2 || scaled >= 0.0195), "σ = %g: total variation %g/σ²", sigma, scaled)
	}
}

// TestGDPEpsilonPaysForDiscreteness: with a price of discreteness that matters, the sum is within δ at the
// returned ε and above it one step below.
func TestGDPEpsilonPaysForDiscreteness(t *testing.T) {
	const coordinates, delta = 5e12, 1e-6 // (1+e)·5e12·0.021/2^60 = 3.4e-7
	total := func(e dp.Epsilon) float64 {
		return GDPDeltaCeil(0.2, e) + (1+math.Exp(float64(e)))*coordinates*0.021/math.Exp2(60)
	}
	got := gdpEpsilonCeil(0.2, coordinates, delta, 2)
	must.Hold(t, total(got) <= delta && total(got-0x1p-39) > delta, "ε = %g: δ %g, just below %g", float64(got), total(got), total(got-0x1p-39))
	got = gdpEpsilonCeil(2, coordinates, delta, 1)
	must.Hold(t, got == 1, "ε = %g where nothing below 1 will do", float64(got))
}

func TestMonotone(t *testing.T) {
	capacity := map[string]func(epsilon dp.Epsilon, delta dp.Delta) float64{
		"rho": func(e dp.Epsilon, d dp.Delta) float64 { return rho(e, d)() },
		"mu":  MuFloor,
	}
	for name, of := range capacity {
		for _, delta := range []dp.Delta{1e-12, 1e-9, 1e-6, 1e-3} {
			for epsilon := dp.Epsilon(0.1); epsilon < 8; epsilon *= 1.5 {
				here := of(epsilon, delta)
				must.Hold(t, of(epsilon*1.01, delta) > here && of(epsilon, delta*1.1) > here,
					"%s is not increasing at (%g, %g)", name, float64(epsilon), float64(delta))
			}
		}
	}
	for rounds := 1; rounds < 500; rounds *= 2 {
		for _, r := range []float64{0.01, 0.1, 1} {
			once, again := boundedRangeCurve(r).times(rounds), boundedRangeCurve(r).times(rounds+1)
			must.Hold(t, once.epsilonCeil(1e-6) < again.epsilonCeil(1e-6) && again.epsilonCeil(1e-6) > again.epsilonCeil(1e-5),
				"ε of %d selections with r = %g is not increasing in T and 1/δ", rounds, r)
		}
	}
}

// TestBoundedRangeIsTheWorstCase: the closed form is the supremum over r-bounded-range pairs, which are
// two-point laws with likelihood ratios exp(−s) and exp(r−s).
func TestBoundedRangeIsTheWorstCase(t *testing.T) {
	for _, r := range []float64{0.01, 0.05, 0.3, 1, 4, 30} {
		for _, alpha := range []float64{1.02, 1.5, 2, 5, 30, 1000} {
			worst := 0.0
			const steps = 20_000
			for i := 1; i < steps; i++ {
				s := r * float64(i) / steps
				high := math.Expm1(s) / math.Expm1(r) // so that the ratios average to 1
				a := math.Log(high) + alpha*(r-s)
				b := math.Log1p(-high) - alpha*s
				top := max(a, b)
				worst = max(worst, (top+math.Log(math.Exp(a-top)+math.Exp(b-top)))/(alpha-1))
			}
			got := boundedRangeCurve(r)(alpha)
			concentrated := alpha * r * r / 8
			must.Hold(t, got >= worst-1e-12*(1+worst) && (got <= worst*(1+1e-3)+1e-12 || got <= concentrated) && got <= concentrated,
				"D_%g(r=%g) = %.12g; supremum %.12g, zCDP %.12g", alpha, r, got, worst, concentrated)
		}
	}
}

func TestCurvesAddUp(t *testing.T) {
	c := sumCurves(boundedRangeCurve(0.3), boundedRangeCurve(0.3), boundedRangeCurve(0.3), rhoCurve(0.01))
	for _, alpha := range []float64{1.001, 2, 17} {
		got, want := c(alpha), 3*boundedRangeCurve(0.3)(alpha)+0.01*alpha
		must.Hold(t, near(got, want, 1e-15*want), "sum at %g: %g, want %g", alpha, got, want)
	}
	one, five := boundedRangeCurve(0.3), boundedRangeCurve(0.3).times(5)
	must.Hold(t, near(five(3), 5*one(3), 1e-15), "five times: %g, one: %g", five(3), one(3))
	must.Equal(t, boundedRangeCurve(0)(2), 0, "D_2(r=0)")
	// Far orders of a pure mechanism meet its ε; near ones its rho.
	pure := pureCurve(0.5)
	must.Hold(t, pure(1e6) == 0.5 && near(pure(1.5), 1.5*0.5*math.Tanh(0.25), 1e-11), "pure curve: %g, %g", pure(1.5), pure(1e6))
}

// TestExactLossOfOneSelection: the charge of a selection bounds the exact divergence between two and
// between three candidates whose scores differ by the full range, at the worst base scores.
func TestExactLossOfOneSelection(t *testing.T) {
	law := func(scores []float64) (p []float64) {
		z := 0.0
		for _, s := range scores {
			z += math.Exp(s)
		}
		for _, s := range scores {
			p = append(p, math.Exp(s)/z)
		}
		return p
	}
	for _, r := range []float64{0.1, 1} {
		worst := 0.0
		for base := -4.0; base <= 4; base += 0.01 {
			for _, shift := range [][]float64{{r, 0}, {r, 0, 0}, {r, r / 2, 0}, {r, r, 0}} {
				before := make([]float64, len(shift))
				before[0] = base
				after := make([]float64, len(shift))
				for i := range shift {
					after[i] = before[i] + shift[i]
				}
				p, q := law(before), law(after)
				moment := 0.0
				for i := range p {
					moment += p[i] * p[i] / q[i]
				}
				worst = max(worst, math.Log(moment))
			}
		}
		bound := boundedRangeCurve(r)(2)
		must.Hold(t, worst <= bound && worst >= 0.99*bound, "r = %g: exact D_2 is %g, curve %g", r, worst, bound)
	}
}
