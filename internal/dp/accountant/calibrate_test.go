package accountant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// ledgers returns one of each kind and relation.
func ledgers(t *testing.T) []*Ledger {
	t.Helper()
	var all []*Ledger
	for _, p := range []Params{
		{Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9},
		{Accounting: dp.Pure, Epsilon: 1},
		{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 1e6},
	} {
		for _, r := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
			p.Neighbouring = r
			l := must.Value(NewLedger(p))(t)
			all = append(all, l)
		}
	}
	return all
}

func share(l *Ledger, s dp.Share) *big.Rat { return new(big.Rat).Mul(l.capacity, s.Rat()) }

func loss(t *testing.T, l *Ledger, e Event) *big.Rat {
	t.Helper()
	x := must.Value(e.Loss(l.params.Accounting))(t)
	return x
}

// TestMeasureRoundsNoiseUp: within the share, and above it if any marginal had one grid step less noise.
func TestMeasureRoundsNoiseUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, l := range ledgers(t) {
		for range 50 {
			m := Marginals{Precision: make([]float64, 1+rng.IntN(6)), Cells: 100}
			for i := range m.Precision {
				m.Precision[i] = math.Exp(rng.NormFloat64())
			}
			s := dp.ShareOf(1+rng.Int64N(1000), 1000+rng.Int64N(1e6))
			e := must.Value(l.Measure(m, s))(t)
			if loss(t, l, e).Cmp(share(l, s)) > 0 {
				t.Fatalf("%+v: loss %v above share %v", l.params, loss(t, l, e), share(l, s))
			}
			checkEachMarginal(t, l, m, s, e)
		}
	}
}

// checkEachMarginal computes each marginal's part of the share in exact arithmetic.
func checkEachMarginal(t *testing.T, l *Ledger, m Marginals, s dp.Share, e Event) {
	t.Helper()
	sum := new(big.Rat)
	for _, p := range m.Precision {
		sum.Add(sum, ratOf(p))
	}
	u := int64(1)
	if l.params.Neighbouring == dp.Replace {
		u = 2
	}
	for i, p := range m.Precision {
		part := new(big.Rat).Mul(share(l, s), new(big.Rat).Quo(ratOf(p), sum))
		step := power(-bitsFor(e.Scales[i]))
		numerator := big.NewRat(u, 2)
		switch l.params.Accounting {
		case dp.Pure:
			numerator = big.NewRat(u, 1)
		case dp.GaussianOnly:
			step = power(-2 * e.GridBits)
		}
		// Two steps: the grid may change across a power of two. 2^-45: parts are rounded down to 2^-80.
		fewer := new(big.Rat).Sub(e.Scales[i], add(times(step, 2), new(big.Rat).Mul(e.Scales[i], power(-45))))
		got := new(big.Rat).Quo(numerator, e.Scales[i])
		must.Hold(t, got.Cmp(part) <= 0, "%+v: marginal %d costs %v of its part %v", l.params, i, got, part)
		must.Hold(t, new(big.Rat).Quo(numerator, fewer).Cmp(part) > 0, "%+v: marginal %d has more noise than its part asks for", l.params, i)
	}
}

func TestSelectIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, l := range ledgers(t)[:4] {
		for _, kind := range []dp.Kind{dp.Exponential, dp.BlockExponential} {
			for range 30 {
				s := dp.ShareOf(1+rng.Int64N(1000), 1000+rng.Int64N(1e7))
				e := must.Value(l.Select(kind, dp.Range(1+rng.Int64N(4)), s))(t)
				must.Need(t, loss(t, l, e).Cmp(share(l, s)) <= 0, "%v: loss above share", kind)
				must.Need(t, e.Steps(0).IsInt(), "%v: scale off the grid", kind)
				e.Scales = []*big.Rat{new(big.Rat).Sub(e.Scales[0], power(-ScoreGridBits))}
				must.Need(t, loss(t, l, e).Cmp(share(l, s)) > 0, "%v: one grid step less would do", kind)
			}
		}
	}
}

// TestSelectMatchesTheFormula: b = R·sqrt(T/(8·rho)) for T equal shares of a zCDP ledger.
func TestSelectMatchesTheFormula(t *testing.T) {
	l := ledgers(t)[0]
	for _, rounds := range []int64{1, 100, 1000} {
		e := must.Value(l.Select(dp.Exponential, 2, dp.ShareOf(1, rounds)))(t)
		want := 2 * math.Sqrt(float64(rounds)/(8*floatDown(l.capacity)))
		got := floatUp(e.Scales[0])
		must.Hold(t, got >= want*(1-1e-12) && got <= want+math.Exp2(-ScoreGridBits), "T = %d: b = %g, want %g rounded up", rounds, got, want)
	}
}

// TestSharesSumExactly: charges of random shares that sum to 1 always fit, and leave almost nothing.
func TestSharesSumExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 30 {
		for _, l := range ledgers(t) {
			den, left := int64(3+rng.IntN(1e6)), int64(0)
			left = den
			for round := 1; left > 0; round++ {
				num := min(left, 1+rng.Int64N(1+den/4))
				left -= num
				charge(t, l, rng, dp.ShareOf(num, den), round)
			}
			if rest := new(big.Rat).Quo(l.Remaining(), l.capacity); rest.Sign() < 0 || floatUp(rest) > 3e-5 {
				t.Errorf("trial %d, %+v: %g of the capacity is left", trial, l.params, floatUp(rest))
			}
		}
	}
}

func charge(t *testing.T, l *Ledger, rng *rand.Rand, s dp.Share, round int) {
	t.Helper()
	var e Event
	var err error
	switch pick := rng.IntN(4); {
	case pick == 0 && l.params.Accounting != dp.GaussianOnly:
		e, err = l.Select(dp.BlockExponential, 2, s)
	case pick == 1 && l.params.Accounting != dp.GaussianOnly:
		e, err = l.Select(dp.Exponential, 1, s)
	case pick == 2:
		e, err = l.MaxError(1, s)
	default:
		e, err = l.Measure(Marginals{Precision: []float64{1, 2.5, 2.5, 0.3}, Cells: 9}, s)
	}
	if err == nil {
		err = l.Charge(e.At("s", round))
	}
	must.Need(t, err == nil, "%+v, share %v: %v", l.params, s, err)
}

func TestSensitivitiesOfRelations(t *testing.T) {
	for _, l := range ledgers(t) {
		want := int64(1)
		if l.params.Neighbouring == dp.Replace {
			want = 2
		}
		e := must.Value(l.Measure(Equal(3, 12), dp.ShareOf(1, 2)))(t)
		got := int64(e.L1) + int64(e.L2Squared)
		must.Hold(t, got == want && e.Neighbouring == l.params.Neighbouring, "%+v: sensitivity %d of a marginal, want %d", l.params, got, want)
		e = must.Value(l.MaxError(1, dp.ShareOf(1, 2)))(t)
		got = int64(e.L1) + int64(e.L2Squared)
		must.Hold(t, got == 1 && e.Coordinates == 1, "%+v: sensitivity %d of a largest error, want 1", l.params, got)
	}
}

// TestFineGrid: the least grid with σ of at least 2^30 steps, and whole σ² in steps.
func TestFineGrid(t *testing.T) {
	l := ledgers(t)[4]
	for _, variance := range []float64{1e-9, 0.3, 1, 1.0000001, 798.4, 1e6, 1e18} {
		e := must.Value(l.MeasureVariance(Equal(2, 10), variance))(t)
		steps := e.Steps(1)
		must.Hold(t, steps.IsInt() && steps.Cmp(power(2*gdpGridBits)) >= 0, "σ² = %g: %v squared steps", variance, steps)
		coarser := math.Sqrt(variance) * math.Exp2(float64(e.GridBits-1))
		must.Hold(t, e.GridBits <= 0 || e.GridBits >= finestBits || coarser < 1<<gdpGridBits, "σ² = %g: grid 2^-%d is finer than needed", variance, e.GridBits)
	}
	must.Fails(l.Measure(Marginals{Precision: []float64{1, 1e-13}, Cells: 2}, dp.ShareOf(1, 2)))(t, "", "noise beyond the samplers' integers admitted")
}

func TestGivenNoise(t *testing.T) {
	for _, l := range ledgers(t) {
		for _, variance := range []float64{0.4, 1, 33.3, 1e5} {
			e := must.Value(l.MeasureVariance(Equal(2, 10), variance))(t)
			scale := floatDown(e.Scales[0])
			if l.params.Accounting == dp.Pure {
				scale = 2 * scale * scale
			}
			must.Hold(t, scale >= variance && scale <= variance*(1+1e-4), "%v: %g for a variance of %g", l.params.Accounting, scale, variance)
			got, want := int64(e.L1)+int64(e.L2Squared), l.params.Neighbouring.UnitChanges()
			must.Hold(t, got == want, "%+v: sensitivity %d, want %d", l.params, got, want)
		}
		for _, variance := range []float64{0, -1, math.NaN(), math.Inf(1), 1e30} {
			must.Fails(l.MeasureVariance(Equal(1, 1), variance))(t, "", "variance %g admitted", variance)
		}
	}
	l := ledgers(t)[0]
	e, err := l.LaplaceMax(2, 1.0000001)
	must.Hold(t, err == nil && e.Scales[0].Cmp(add(big.NewRat(1, 1), power(-ScoreGridBits))) == 0 && e.Range == 2,
		"scale %v, %v: want 1.0000001 rounded up to the grid", e.Scales, err)
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1), 1e9} {
		must.Fails(l.LaplaceMax(2, scale))(t, "", "scale %g admitted", scale)
	}
}

func TestUselessSharesAreRefused(t *testing.T) {
	for _, l := range ledgers(t) {
		for _, s := range []dp.Share{{}, {Num: 0, Den: 1}, {Num: -1, Den: 2}, {Num: 1, Den: math.MaxInt64}} {
			if s.Num == 1 && l.params.Accounting != dp.Pure {
				continue // noise of 2^31 or so: large, but drawable
			}
			_, err := l.Measure(Equal(1, 1), s)
			must.Hold(t, err != nil, "%v: share %+v admitted by Measure", l.params.Accounting, s)
			_, err = l.MaxError(1, s)
			must.Hold(t, err != nil, "%v: share %+v admitted by MaxError", l.params.Accounting, s)
			_, err = l.Select(dp.BlockExponential, 2, s)
			must.Hold(t, err != nil, "%v: share %+v admitted by Select", l.params.Accounting, s)
		}
	}
	gdp := ledgers(t)[4]
	must.Fails(gdp.Select(dp.Exponential, 1, dp.ShareOf(1, 2)))(t, "", "a selection calibrated on a GDP ledger")
	// The slack of a block alone, 2^-29, exceeds what a share of 2^-70 buys.
	must.Fails(ledgers(t)[0].Select(dp.BlockExponential, 2, dp.ShareOf(1, math.MaxInt64)))(t, "", "a block within less than its slack")
}

func TestPreferred(t *testing.T) {
	for _, tt := range []struct {
		name        string
		epsilon     dp.Epsilon
		delta       dp.Delta
		coordinates int64
		want        dp.Accounting
	}{
		{"one table", 1, 1e-9, 1000, dp.GaussianOnly},
		{"30 columns", 1, 1e-9, 3_423_714, dp.GaussianOnly},
		{"30 columns, ε = 10: the price is more than δ", 10, 1e-9, 3_423_714, dp.ZCDP},
		{"most of δ is the price", 10, 1e-9, 2_400_000, dp.ZCDP},
		{"a little of δ is the price", 10, 1e-9, 300_000, dp.GaussianOnly},
		{"small δ", 2, 1e-13, 3_423_714, dp.ZCDP},
		{"beyond the GDP curve's float64", 250, 1e-9, 10, dp.ZCDP},
	} {
		p := Params{Accounting: dp.GaussianOnly, Epsilon: tt.epsilon, Delta: tt.delta, Coordinates: tt.coordinates}
		must.Equal(t, p.Preferred().Accounting, tt.want, "%s", tt.name)
	}
}

// The choice is the ledger with more to spend, at every price.
func TestPreferredIsTheLarger(t *testing.T) {
	for _, epsilon := range []dp.Epsilon{.1, 1, 3, 10} {
		for coordinates := int64(1); coordinates < 1<<40; coordinates *= 8 {
			p := Params{Neighbouring: dp.Replace, Accounting: dp.GaussianOnly, Epsilon: epsilon, Delta: 1e-9, Coordinates: coordinates}
			chosen, err := NewLedger(p.Preferred())
			must.Need(t, err == nil, "ε = %g, %d coordinates: %v", float64(epsilon), coordinates, err)
			for _, kind := range []dp.Accounting{dp.ZCDP, dp.GaussianOnly} {
				p.Accounting = kind
				if other, err := NewLedger(p); err == nil && other.capacity.Cmp(chosen.capacity) > 0 {
					t.Errorf("ε = %g, %d coordinates: %v has more capacity than the choice", float64(epsilon), coordinates, kind)
				}
			}
		}
	}
}

// Where other noise may be drawn, nothing is changed.
func TestPreferredOfOthers(t *testing.T) {
	for _, kind := range []dp.Accounting{dp.Pure, dp.ZCDP} {
		p := Params{Accounting: kind, Epsilon: 1, Delta: 1e-9, Coordinates: 10}
		got := p.Preferred()
		must.Hold(t, got == p, "%v: %+v in place of %+v", kind, got, p)
	}
}
