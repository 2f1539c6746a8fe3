package accountant

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// open returns a ledger for AddRemove at δ = 1e-6; under GaussianOnly ε is at most 15, beyond which exp(ε)
// times the price of discreteness exceeds δ.
func open(t *testing.T, kind dp.Accounting, epsilon dp.Epsilon) *Ledger {
	t.Helper()
	p := Params{Accounting: kind, Epsilon: epsilon, Delta: 1e-6}
	if kind == dp.GaussianOnly {
		p.Epsilon, p.Coordinates = min(epsilon, 15), 1<<10
	}
	l := must.Value(NewLedger(p))(t)
	return l
}

func TestCapacityIsAMultipleRoundedDown(t *testing.T) {
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure, dp.GaussianOnly} {
		for _, epsilon := range []dp.Epsilon{0.01, 0.1, 1, 3} {
			l := open(t, kind, epsilon)
			if steps := new(big.Rat).Mul(l.Capacity(), power(capacityBits)); !steps.IsInt() {
				t.Errorf("%v, ε = %g: capacity %v is no multiple of 2^-40", kind, epsilon, l.Capacity())
			}
			exact := float64(epsilon)
			if kind != dp.Pure {
				exact = math.Inf(1)
			}
			c := floatUp(l.Capacity())
			must.Hold(t, c <= exact, "%v, ε = %g: capacity %g", kind, epsilon, c)
			b := l.Budget()
			must.Hold(t, ratOf(b.Capacity).Cmp(l.Capacity()) <= 0 && b.Accounting == kind && b.Neighbouring == dp.AddRemove, "%v: budget %+v", kind, b)
		}
	}
}

func TestOverspendIsRefused(t *testing.T) {
	l := open(t, dp.ZCDP, 1)
	e, err := l.Measure(Equal(3, 12), dp.ShareOf(2, 3))
	must.Do(t, err)
	must.Do(t, l.Charge(e.At("measure", 1)))
	before := l.Remaining()
	err = l.Charge(e.At("measure", 2))
	var exhausted ErrExhausted
	must.Need(t, errors.As(err, &exhausted), "second charge: %v, want ErrExhausted", err)
	loss, _ := e.Loss(dp.ZCDP)
	must.Hold(t, exhausted.Requested.Cmp(loss) == 0 && exhausted.Remaining.Cmp(before) == 0 && exhausted.Difference().Cmp(new(big.Rat).Sub(loss, before)) == 0,
		"%+v, want requested %v, remaining %v", exhausted, loss, before)
	must.Hold(t, l.Remaining().Cmp(before) == 0 && len(l.Events()) == 1, "a refused charge changed the ledger")
	text := err.Error()
	must.Hold(t, strings.Contains(text, `"measure"`) && !strings.Contains(text, "%!"), "message %q", text)
}

// TestChargesAddUp: three thirds fill a ledger to the last step of rounding, and a fourth is refused.
func TestChargesAddUp(t *testing.T) {
	l := open(t, dp.ZCDP, 1)
	e := must.Value(l.Measure(Equal(1, 4), dp.ShareOf(1, 3)))(t)
	for round := 1; round <= 4; round++ {
		err := l.Charge(e.At("measure", round))
		must.Hold(t, (err == nil) == (round < 4), "third %d: %v", round, err)
	}
	loss, _ := e.Loss(dp.ZCDP)
	must.Hold(t, l.Spent().Cmp(times(loss, 3)) == 0, "spent %v of three charges of %v", l.Spent(), loss)
}

// TestLastQuantum: a charge equal to what remains is admitted, one quantum more is not.
func TestLastQuantum(t *testing.T) {
	for _, extra := range []int64{0, 1} {
		l := open(t, dp.Pure, 1) // capacity 1
		scale := new(big.Rat).Inv(add(big.NewRat(1, 1), times(power(-quantumBits), extra)))
		e := Event{Kind: dp.DiscreteLaplace, Count: 1, L1: 1, Scales: []*big.Rat{scale}, Coordinates: 1}
		err := l.Charge(e.At("s", 1))
		must.Hold(t, (err == nil) == (extra == 0), "%d quanta above the capacity: %v", extra, err)
	}
}

func TestMismatchesAreRefused(t *testing.T) {
	laplace := kinds()["laplace"]
	laplace.Neighbouring = dp.Replace
	coarse := kinds()["gaussian"]
	coarse.GridBits = 23 // σ = 4 is 2^25 steps
	fraction := kinds()["gaussian"]
	fraction.Scales = []*big.Rat{new(big.Rat).Quo(big.NewRat(100, 1), big.NewRat(3, 1))}
	for name, row := range map[string]struct {
		ledger dp.Accounting
		event  Event
	}{
		"relation":           {dp.Pure, laplace},
		"Gaussian on pure":   {dp.Pure, kinds()["gaussian"]},
		"selection on GDP":   {dp.GaussianOnly, kinds()["exponential"]},
		"coarse grid on GDP": {dp.GaussianOnly, coarse},
		"off grid on GDP":    {dp.GaussianOnly, fraction},
	} {
		l := open(t, row.ledger, 10)
		var exhausted ErrExhausted
		err := l.Charge(row.event.At("s", 1))
		must.Hold(t, err != nil && !errors.As(err, &exhausted), "%s: %v, want a refusal of the event", name, err)
		must.Hold(t, l.Spent().Sign() == 0 && len(l.Events()) == 0, "%s: charged all the same", name)
	}
}

func TestCoordinatesAreReserved(t *testing.T) {
	l := must.Value(NewLedger(Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-6, Coordinates: 100}))(t)
	e := must.Value(l.Measure(Equal(1, 40), dp.ShareOf(1, 10)))(t)
	must.Fail(t, l.Charge(e.At("s", 1).Times(3)), "", "3 × 40 of 100 coordinates admitted")
	must.Pass(t, l.Charge(e.At("s", 1).Times(2)))
	must.Fail(t, l.Charge(e.At("s", 3)), "", "coordinates 81 to 120 of 100 admitted")
}

// TestCoordinatesCost: reserving more coordinates leaves less capacity, and more than δ pays for none.
func TestCoordinatesCost(t *testing.T) {
	capacity := func(coordinates int64) *big.Rat {
		l, err := NewLedger(Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: coordinates})
		if err != nil {
			return new(big.Rat)
		}
		return l.Capacity()
	}
	one, billion, tooMany := capacity(1), capacity(1e9), capacity(1e11)
	must.Hold(t, one.Cmp(billion) > 0 && billion.Sign() > 0 && tooMany.Sign() == 0, "capacities %v, %v, %v", one, billion, tooMany)
	// (1+e)·0.021/2^60 per coordinate
	got, want := discreteDelta(1, 1e6), 3.718281828459045*1e6*0.021/math.Exp2(60)
	must.Hold(t, got >= want && got <= want*(1+1e-9), "price %g, want %g rounded up", got, want)
}

func TestParams(t *testing.T) {
	for name, row := range map[string]struct {
		params Params
		faults int
	}{
		"zero":               {Params{}, 2},
		"delta 0 with zCDP":  {Params{Epsilon: 1}, 1},
		"delta 0 with GDP":   {Params{Epsilon: 1, Accounting: dp.GaussianOnly, Coordinates: 1}, 1},
		"delta 0 with pure":  {Params{Epsilon: 1, Accounting: dp.Pure}, 0},
		"tiny delta":         {Params{Epsilon: 1, Delta: 1e-310}, 1},
		"delta 1":            {Params{Epsilon: 1, Delta: 1}, 1},
		"NaN":                {Params{Epsilon: dp.Epsilon(math.NaN()), Delta: 1e-6}, 1},
		"no coordinates":     {Params{Epsilon: 1, Delta: 1e-6, Accounting: dp.GaussianOnly}, 1},
		"epsilon 1000, GDP":  {Params{Epsilon: 1000, Delta: 1e-6, Accounting: dp.GaussianOnly, Coordinates: 1}, 1},
		"unknown accounting": {Params{Epsilon: 1, Delta: 1e-6, Accounting: 9}, 1},
		"no budget":          {Params{Epsilon: 1e-9, Delta: 1e-9}, 1},
	} {
		_, err := NewLedger(row.params)
		lines := 0
		if err != nil {
			lines = strings.Count(err.Error(), "\n") + 1
		}
		must.Hold(t, lines == row.faults, "%s: %d faults, want %d: %v", name, lines, row.faults, err)
	}
}

// A budget that cannot be computed says which way to move: a tiny ε up, a huge one down.
func TestNoBudgetSaysWhichWay(t *testing.T) {
	for epsilon, want := range map[dp.Epsilon]string{1e-9: "raise", 1e300: "lower"} {
		must.Fails(NewLedger(Params{Epsilon: epsilon, Delta: 1e-9}))(t, want, "epsilon %g: error", float64(epsilon))
	}
}

func TestRationalsRoundAsNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	inexact := 0
	for range 1000 {
		x := big.NewRat(rng.Int64(), 1+rng.Int64N(1<<40))
		up, down := ratOf(floatUp(x)), ratOf(floatDown(x))
		must.Need(t, up.Cmp(x) >= 0 && down.Cmp(x) <= 0 && floatUp(up) == floatDown(up), "%v between %v and %v", x, down, up)
		if up.Cmp(down) != 0 {
			inexact++
		}
		bits := rng.IntN(90)
		ceil, floor := ceilGrid(x, bits), floorGrid(x, bits)
		gap := new(big.Rat).Sub(ceil, floor)
		onGrid := new(big.Rat).Mul(ceil, power(bits)).IsInt() && new(big.Rat).Mul(floor, power(bits)).IsInt()
		must.Need(t, ceil.Cmp(x) >= 0 && floor.Cmp(x) <= 0 && gap.Cmp(power(-bits)) <= 0 && onGrid, "%v on 2^-%d: between %v and %v", x, bits, floor, ceil)
	}
	must.Hold(t, inexact >= 900, "only %d of 1000 numbers tried the rounding", inexact)
}

func add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
