package accountant

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// valuesLedgers are ledgers with a part of δ for values, of both relations and both kinds that can have one.
func valuesLedgers(t *testing.T) (all []*Ledger) {
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		for _, kind := range []dp.Accounting{dp.ZCDP, dp.GaussianOnly} {
			l := must.Value(NewLedger(Params{Neighbouring: n, Accounting: kind, Epsilon: 1, Delta: 1e-9, ValuesDelta: 1e-10, Coordinates: 1000}))(t)
			all = append(all, l)
		}
	}
	return all
}

// The bound of a tail is at least the tail, summed up, and not much more than that.
func TestTailCeil(t *testing.T) {
	for _, variance := range []*big.Rat{big.NewRat(1, 9), big.NewRat(1, 2), big.NewRat(1, 1), big.NewRat(7, 3), big.NewRat(40, 1), big.NewRat(900, 1)} {
		law, sigma := dptest.DiscreteGaussian(variance), math.Sqrt(floatUp(variance))
		for k := int64(1); float64(k) < 9*sigma+3; k++ {
			tail, _ := law.From(k).Float64()
			bound := tailCeil(variance, k)
			must.Need(t, bound >= tail, "σ² = %v: P(Z ≥ %d) = %g is above its bound %g", variance, k, tail, bound)
			must.Hold(t, float64(k) <= sigma+1 || sigma <= 20 || bound <= tail*1.01, "σ² = %v: P(Z ≥ %d) = %g, and its bound is %g", variance, k, tail, bound)
		}
	}
}

// The event keeps to its share of the loss and of δ, uses nearly all of both, and has the least threshold: a step below it
// costs more than δ.
func TestValuesEvent(t *testing.T) {
	for _, l := range valuesLedgers(t) {
		for _, v := range []Values{{1, 0, dp.ShareOf(1, 1)}, {9, 0, dp.ShareOf(1, 1)}, {9, 12, dp.ShareOf(1, 2)}, {300, 3, dp.ShareOf(1, 7)}} {
			s := dp.ShareOf(65, 1000)
			e := must.Value(l.Values(v, s))(t)
			used := new(big.Rat).Quo(loss(t, l, e), share(l, s))
			must.Hold(t, used.Cmp(big.NewRat(1, 1)) <= 0 && floatDown(used) >= 1-1e-4, "%v: %s of the share is charged", l.params.Accounting, used.FloatString(9))
			delta := new(big.Rat).Quo(e.Delta, new(big.Rat).Mul(ratOf(float64(l.params.ValuesDelta)), v.Delta.Rat()))
			must.Hold(t, delta.Cmp(big.NewRat(1, 1)) <= 0 && floatDown(delta) >= 1-1e-9,
				"%v: %s of the part of delta is charged", l.params.Accounting, delta.FloatString(12))
			over := new(big.Rat).Sub(e.Threshold, big.NewRat(v.First+1, 1)) // what the noise of a new value has to exceed
			k := new(big.Rat).Mul(over, power(e.GridBits))
			must.Need(t, k.IsInt(), "%v: a threshold off the grid", l.params.Accounting)
			each, _ := new(big.Rat).Quo(e.Delta, big.NewRat(int64(v.Columns), 1)).Float64()
			p := tailCeil(e.Steps(0), k.Num().Int64()+1)
			must.Hold(t, p <= each, "%v: a value of %d units passes with %g, charged %g", l.params.Accounting, v.First+1, p, each)
			must.Hold(t, tailCeil(e.Steps(0), k.Num().Int64()) > each, "%v: a threshold lower by a step would do", l.params.Accounting)
			if unit := l.params.Neighbouring.UnitChanges(); int64(e.L2Squared) != unit || e.Coordinates != unit*int64(v.Columns) || len(e.Scales) != v.Columns {
				t.Errorf("%v: sensitivity %d, %d coordinates, %d scales", l.params.Accounting, e.L2Squared, e.Coordinates, len(e.Scales))
			}
		}
	}
}

// The delta of values comes out of δ once: what is left bounds the losses, and more than was reserved is refused.
func TestValuesDelta(t *testing.T) {
	for _, l := range valuesLedgers(t) {
		p := l.params
		p.Delta, p.ValuesDelta = p.lossDelta(), 0
		without, err := NewLedger(p)
		must.Hold(t, err == nil && without.Capacity().Cmp(l.Capacity()) == 0, "%v: the capacity does not follow from the delta that is left", p.Accounting)
		e := must.Value(l.Values(Values{Columns: 2, Delta: dp.ShareOf(2, 3)}, dp.ShareOf(1, 100)))(t)
		must.Do(t, l.Charge(e.At("values", 1)))
		must.Fail(t, l.Charge(e.At("values", 2)), "", "%v: four thirds of the delta for values were charged", p.Accounting)
		st := l.Statement(Planned)
		must.Hold(t, st.Delta == 1e-9 && st.Ledger[0].Delta == e.Delta.RatString() && st.Ledger[0].Threshold != "" && len(st.Approximations) != 0,
			"%v: the statement hides what values add to delta: %+v", p.Accounting, st)
		must.Hold(t, st.AchievedEpsilon > 0 && st.AchievedEpsilon < 1, "%v: achieved ε is %g", p.Accounting, st.AchievedEpsilon)
	}
	pure := must.Value(NewLedger(Params{Accounting: dp.Pure, Epsilon: 1}))(t)
	must.Fails(pure.Values(Values{Columns: 1, Delta: dp.ShareOf(1, 1)}, dp.ShareOf(1, 2)))(t, "", "a pure ledger released values above a threshold")
	for _, d := range []dp.Delta{1e-9, 2e-9, -1} {
		must.Fails(NewLedger(Params{Epsilon: 1, Delta: 1e-9, ValuesDelta: d}))(t, "", "%g of a delta of 1e-9 are reserved for values", float64(d))
	}
}

// A ledger that follows another one has what that left, to the last fraction, and states the events of both.
func TestLedgerAfter(t *testing.T) {
	for _, first := range valuesLedgers(t) {
		e := must.Value(first.Values(Values{Columns: 3, Delta: dp.ShareOf(1, 1)}, dp.ShareOf(1, 10)))(t)
		must.Do(t, first.Charge(e.At("values", 1)))
		next := must.Value(NewLedgerAfter(first.Events(), first.Params()))(t)
		if next.Remaining().Cmp(first.Remaining()) != 0 || next.Budget().Capacity != floatDown(first.Remaining()) {
			t.Errorf("%v: the second ledger has %v of what the first left, %v", first.params.Accounting, next.Remaining(), first.Remaining())
		}
		must.Do(t, next.Allocate("all", dp.ShareOf(1, 1)))
		m := must.Value(next.Measure(Equal(4, 40), dp.ShareOf(1, 1)))(t)
		must.Do(t, next.Charge(m.At("all", 1)))
		sum := new(big.Rat).Add(first.Spent(), loss(t, next, m))
		if next.Spent().Cmp(sum) != 0 || sum.Cmp(next.Capacity()) > 0 {
			t.Errorf("%v: %v spent, the events add up to %v", first.params.Accounting, next.Spent(), sum)
		}
		st := next.Statement(Adaptive)
		must.Hold(t, len(st.Ledger) == 2 && st.Epsilon == 1 && st.AchievedEpsilon >= .9, "%v: the statement of both: %+v", first.params.Accounting, st)
		_, err := NewLedgerAfter(next.Events(), first.Params())
		must.Hold(t, err != nil || next.Remaining().Sign() != 0, "%v: a ledger with nothing left was opened", first.params.Accounting)
		_, err = NewLedgerAfter(append(next.Events(), e.At("values", 2)), first.Params())
		must.Hold(t, err != nil, "%v: more was charged before than there is", first.params.Accounting)
	}
}
