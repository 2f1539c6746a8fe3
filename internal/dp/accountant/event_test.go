package accountant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// kinds holds a complete event of every kind, with noise for which the losses are short fractions.
func kinds() map[string]Event {
	numeric := func(e Event) Event {
		e.Count, e.Coordinates, e.Scales = 1, 12, []*big.Rat{big.NewRat(16, 1), big.NewRat(16, 1), big.NewRat(64, 1)}
		return e
	}
	selection := func(k dp.Kind) Event {
		return Event{Kind: k, Count: 1, Range: 2, Scales: []*big.Rat{big.NewRat(8, 1)}, GridBits: ScoreGridBits}
	}
	return map[string]Event{
		"gaussian":    numeric(Event{Kind: dp.DiscreteGaussian, L2Squared: 2, GridBits: 30}),
		"laplace":     numeric(Event{Kind: dp.DiscreteLaplace, L1: 2}),
		"exponential": selection(dp.Exponential),
		"block":       selection(dp.BlockExponential),
		"laplace max": selection(dp.LaplaceMax),
		"above":       selection(dp.AboveThreshold),
	}
}

func TestLoss(t *testing.T) {
	slack := big.NewRat(1, 1<<blockSlackBits)
	block := add(big.NewRat(1, 4), slack)
	for _, row := range []struct {
		event  string
		ledger dp.Accounting
		want   *big.Rat // nil: refused
	}{
		{"gaussian", dp.ZCDP, big.NewRat(9, 64)}, // 2·(2/32) + 2/128
		{"gaussian", dp.GaussianOnly, big.NewRat(9, 64)},
		{"gaussian", dp.Pure, nil},
		{"laplace", dp.Pure, big.NewRat(9, 32)}, // 2·(2/16) + 2/64
		{"laplace", dp.GaussianOnly, nil},
		{"exponential", dp.Pure, big.NewRat(1, 4)},
		{"exponential", dp.ZCDP, big.NewRat(1, 128)}, // (1/4)²/8
		{"exponential", dp.GaussianOnly, nil},
		{"block", dp.Pure, block},
		{"block", dp.ZCDP, new(big.Rat).Quo(new(big.Rat).Mul(block, block), big.NewRat(8, 1))},
		{"block", dp.GaussianOnly, nil},
		{"laplace max", dp.Pure, big.NewRat(1, 4)},
		{"laplace max", dp.GaussianOnly, nil},
		{"above", dp.Pure, big.NewRat(1, 4)},
		{"above", dp.GaussianOnly, nil},
	} {
		got, err := kinds()[row.event].Loss(row.ledger)
		if row.want == nil {
			must.Hold(t, err != nil, "%s on a %v ledger: loss %v, want a refusal", row.event, row.ledger, got)
			continue
		}
		must.Hold(t, err == nil && got.Cmp(row.want) == 0, "%s on a %v ledger: loss %v, %v; want %v", row.event, row.ledger, got, err, row.want)
	}
}

// A pure mechanism that is not bounded-range costs ε·tanh(ε/2), far more than ε²/8.
func TestPureRho(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		epsilon := big.NewRat(1+rng.Int64N(1<<20), 1+rng.Int64N(1<<20))
		if epsilon.Cmp(big.NewRat(20, 1)) > 0 {
			continue
		}
		exact := exactPureRho(epsilon)
		got := pureRho(epsilon)
		excess := new(big.Rat).Sub(got, exact)
		allowed := add(new(big.Rat).Mul(exact, power(-38)), power(-quantumBits))
		if excess.Sign() < 0 || excess.Cmp(allowed) > 0 {
			t.Fatalf("ε = %v: %g, exact %g", epsilon, floatUp(got), floatUp(exact))
		}
	}
	for _, e := range []Event{kinds()["laplace"], kinds()["laplace max"]} {
		loss, err := e.Loss(dp.ZCDP)
		must.Hold(t, err == nil && loss.Cmp(exactPureRho(e.epsilon())) >= 0, "%v: loss %v, %v below ε·tanh(ε/2)", e.Kind, loss, err)
	}
}

// exactPureRho returns ε·(exp(ε)−1)/(exp(ε)+1) by 90 terms of the power series: the first one left out is
// below 20^91/91! < 1e-20 of exp.
func exactPureRho(epsilon *big.Rat) *big.Rat {
	const precision = 200
	e := new(big.Float).SetPrec(precision).SetRat(epsilon)
	term := new(big.Float).SetPrec(precision).SetInt64(1)
	exp := new(big.Float).SetPrec(precision).SetInt64(1)
	for k := int64(1); k <= 90; k++ {
		term.Mul(term, e).Quo(term, new(big.Float).SetPrec(precision).SetInt64(k))
		exp.Add(exp, term)
	}
	one := big.NewFloat(1)
	ratio := new(big.Float).SetPrec(precision).Sub(exp, one)
	ratio.Quo(ratio, new(big.Float).SetPrec(precision).Add(exp, one))
	rho, _ := ratio.Mul(ratio, e).Rat(nil)
	return rho
}

// TestCountIsCharged: k-fold events cost what k single ones do, for each kind on each ledger.
func TestCountIsCharged(t *testing.T) {
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure, dp.GaussianOnly} {
		for name, e := range kinds() {
			once, fold := open(t, kind, 100), open(t, kind, 100)
			if _, err := e.Loss(kind); err != nil {
				continue
			}
			for round := 1; round <= 7; round++ {
				must.Do(t, once.Charge(e.At("s", round)))
			}
			must.Do(t, fold.Charge(e.At("s", 1).Times(7)))
			loss, _ := e.Loss(kind)
			if once.Spent().Cmp(fold.Spent()) != 0 || fold.Spent().Cmp(times(loss, 7)) != 0 {
				t.Errorf("%s on %v: 7 singles %v, 7-fold %v, 7·loss %v", name, kind, once.Spent(), fold.Spent(), times(loss, 7))
			}
		}
	}
}

func TestIncompleteEventsPanic(t *testing.T) {
	for name, spoil := range map[string]func(*Event){
		"no count":        func(e *Event) { e.Count = 0 },
		"no sensitivity":  func(e *Event) { e.L2Squared = 0 },
		"no scales":       func(e *Event) { e.Scales = nil },
		"zero scale":      func(e *Event) { e.Scales = []*big.Rat{new(big.Rat)} },
		"few coordinates": func(e *Event) { e.Coordinates = 2 },
		"two scales":      func(e *Event) { *e = kinds()["block"]; e.Scales = append(e.Scales, e.Scales[0]) },
		"range of 0":      func(e *Event) { *e = kinds()["exponential"]; e.Range = 0 },
	} {
		e := kinds()["gaussian"]
		spoil(&e)
		must.Hold(t, panics(func() { _ = open(t, dp.ZCDP, 1).Charge(e.At("s", 1)) }), "%s: no panic", name)
	}
	must.Hold(t, panics(func() { _ = open(t, dp.ZCDP, 1).Charge(kinds()["gaussian"]) }), "no stage: no panic")
}

func TestLaplaceVariance(t *testing.T) {
	for _, scale := range []int64{1, 3, 40} {
		e := Event{Kind: dp.DiscreteLaplace, Scales: []*big.Rat{big.NewRat(scale, 1)}}
		want, mass := 0.0, 0.0
		for y := -200 * scale; y <= 200*scale; y++ {
			p := math.Exp(-float64(max(y, -y)) / float64(scale))
			mass += p
			want += p * float64(y) * float64(y)
		}
		got := e.Variance(0)
		must.Hold(t, near(got, want/mass, 1e-9*got), "scale %d: variance %.12g, want %.12g", scale, got, want/mass)
	}
}

// TestVarianceIsNeverZero: at any ε that a pure ledger takes, releases can be weighed by 1/variance; and up to the
// floor the variance is the law's.
func TestVarianceIsNeverZero(t *testing.T) {
	for _, epsilon := range []dp.Epsilon{1, 100, 600, 705, 1e3, 1e6, 1e300} {
		l := must.Value(NewLedger(Params{Accounting: dp.Pure, Epsilon: epsilon}))(t)
		e := must.Value(l.Measure(Equal(1, 1), dp.ShareOf(1, 1)))(t)
		v := e.Variance(0)
		if sum := 0x1p60 / v; !(v > 0) || math.IsInf(sum*sum*sum, 0) { // counts and cells weighed by 1/v, and powers of that
			t.Errorf("ε = %g: variance %g", float64(epsilon), v)
		}
		if q := math.Exp(-float64(epsilon)); epsilon <= 100 && !near(v, 2*q/((1-q)*(1-q)), .01*v) { // the scale is rounded to 2^-16 of it
			t.Errorf("ε = %g: variance %g", float64(epsilon), v)
		}
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// TestLossRoundsUp: at least the exact loss, and less than one quantum of 2^-80 more for each marginal.
func TestLossRoundsUp(t *testing.T) {
	scale := big.NewRat(7, 3)
	r := big.NewRat(2*3, 7)
	slack := add(r, power(-blockSlackBits))
	squared := func(x *big.Rat) *big.Rat { return new(big.Rat).Quo(new(big.Rat).Mul(x, x), big.NewRat(8, 1)) }
	for _, row := range []struct {
		event  string
		ledger dp.Accounting
		exact  *big.Rat
	}{
		{"gaussian", dp.ZCDP, big.NewRat(3*2*3, 2*7)},
		{"laplace", dp.Pure, big.NewRat(3*2*3, 7)},
		{"exponential", dp.Pure, r},
		{"block", dp.Pure, slack},
		{"laplace max", dp.Pure, r},
		{"exponential", dp.ZCDP, squared(r)},
		{"block", dp.ZCDP, squared(slack)},
	} {
		e := kinds()[row.event]
		for i := range e.Scales {
			e.Scales[i] = scale
		}
		got := must.Value(e.Loss(row.ledger))(t)
		limit := add(row.exact, times(power(-quantumBits), int64(len(e.Scales))))
		must.Hold(t, got.Cmp(row.exact) >= 0 && got.Cmp(limit) < 0 && new(big.Rat).Mul(got, power(quantumBits)).IsInt(),
			"%s on %v: %v is not %v rounded up", row.event, row.ledger, got, row.exact)
	}
}

// TestNoisyMaxIsNotBoundedRange: the KL divergence of Laplace noisy max is 0.142 at r = 1,
// above r²/8 = 0.125; its charge and its curve must be above it.
func TestNoisyMaxIsNotBoundedRange(t *testing.T) {
	e := kinds()["laplace max"]
	e.Scales = []*big.Rat{big.NewRat(int64(e.Range), 1)} // r = 1
	loss, err := e.Loss(dp.ZCDP)
	must.Hold(t, err == nil && floatDown(loss) >= 0.142 && e.curve()(1.0001) >= 0.142, "charge %v, %v; curve %g", loss, err, e.curve()(1.0001))
}

// TestSearchHasNoBoundedRange: a search and a noisy maximum are charged ε·tanh(ε/2), which is above ε²/8.
func TestSearchHasNoBoundedRange(t *testing.T) {
	for _, kind := range []string{"above", "laplace max"} {
		got, err := kinds()[kind].Loss(dp.ZCDP)
		// .25·tanh(.125) = .03109
		must.Hold(t, err == nil && got.Cmp(big.NewRat(3, 100)) >= 0 && got.Cmp(big.NewRat(1, 32)) <= 0, "%s: rho %v, %v", kind, got, err)
	}
}
