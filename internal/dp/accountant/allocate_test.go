package accountant

import (
	"errors"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestAllocate: stages spend within their shares, in several events, and no others spend at all.
func TestAllocate(t *testing.T) {
	for _, l := range ledgers(t) {
		event := func(s dp.Share) Event {
			e := must.Value(l.Measure(Equal(2, 10), s))(t)
			return e
		}
		for stage, s := range map[string]dp.Share{"a": dp.ShareOf(1, 3), "b": dp.ShareOf(1, 2)} {
			must.Do(t, l.Allocate(stage, s))
		}
		for _, bad := range []struct {
			stage string
			share dp.Share
		}{{"a", dp.ShareOf(1, 10)}, {"c", dp.ShareOf(1, 5)}, {"c", dp.Share{Den: 1}}} {
			must.Fail(t, l.Allocate(bad.stage, bad.share), "", "%+v allocated", bad)
		}
		for _, step := range []struct {
			stage string
			share dp.Share
			fits  bool
		}{
			{"a", dp.ShareOf(1, 6), true}, {"a", dp.ShareOf(1, 5), false}, {"a", dp.ShareOf(1, 6), true}, {"a", dp.ShareOf(1, 100), false},
			{"c", dp.ShareOf(1, 100), false}, {"b", dp.ShareOf(51, 100), false}, {"b", dp.ShareOf(1, 2), true},
		} {
			spent := l.Spent()
			err := l.Charge(event(step.share).At(step.stage, 1))
			var exhausted ErrExhausted
			must.Hold(t, step.fits == (err == nil) && (err == nil || errors.As(err, &exhausted) && l.Spent().Cmp(spent) == 0),
				"%+v: stage %q, share %v: %v", l.params, step.stage, step.share, err)
		}
		must.Fail(t, l.Allocate("late", dp.ShareOf(1, 100)), "", "a share allocated after a charge")
	}
}

// TestOneStage: spending does not change what the only stage was allocated.
func TestOneStage(t *testing.T) {
	for _, l := range ledgers(t) {
		must.Do(t, l.Allocate("a", dp.ShareOf(1, 2)))
		before := l.Statement(Adaptive)
		e := must.Value(l.Measure(Equal(1, 10), dp.ShareOf(1, 2)))(t)
		must.Do(t, l.Charge(e.At("a", 1)))
		if s := l.Statement(Adaptive); s.AchievedEpsilon != before.AchievedEpsilon || s.Mu != before.Mu || s.AchievedEpsilon >= float64(l.params.Epsilon) {
			t.Errorf("%v: ε %g before, %g after", l.params.Accounting, before.AchievedEpsilon, s.AchievedEpsilon)
		}
	}
}

// TestAllocatedStatement: what an adaptive run promises is what its stages were allocated, however little they
// spent: the same for a run that stops early. It is what a planned run of those shares promises.
func TestAllocatedStatement(t *testing.T) {
	for i := range ledgers(t) {
		adaptive, early, planned, whole := ledgers(t)[i], ledgers(t)[i], ledgers(t)[i], ledgers(t)[i]
		kind := planned.params.Accounting
		e := must.Value(planned.Measure(Equal(1, 10), dp.ShareOf(1, 4)))(t)
		for _, stage := range []string{"a", "b"} {
			for _, l := range []*Ledger{adaptive, early} {
				must.Do(t, l.Allocate(stage, dp.ShareOf(1, 4)))
			}
			must.Do(t, whole.Allocate(stage, dp.ShareOf(1, 2)))
		}
		for _, stage := range []string{"a", "b"} {
			must.Do(t, errors.Join(adaptive.Charge(e.At(stage, 1)), planned.Charge(e.At(stage, 1))))
		}
		s, p := adaptive.Statement(Adaptive), planned.Statement(Planned)
		must.Hold(t, s.AchievedEpsilon >= p.AchievedEpsilon && s.AchievedEpsilon <= p.AchievedEpsilon*1.002 && s.Conversion == p.Conversion+" of allocated shares",
			"%v: ε %g by %s, planned %g by %s", kind, s.AchievedEpsilon, s.Conversion, p.AchievedEpsilon, p.Conversion)
		must.Hold(t, s.Mu >= p.Mu && s.Mu <= p.Mu*1.001, "%v: μ %g, planned %g", kind, s.Mu, p.Mu)
		if o := early.Statement(Adaptive); o.AchievedEpsilon != s.AchievedEpsilon || o.Mu != s.Mu {
			t.Errorf("%v: a run that stops early promises ε %g, others %g", kind, o.AchievedEpsilon, s.AchievedEpsilon)
		}
		w := whole.Statement(Adaptive)
		must.Hold(t, w.AchievedEpsilon == float64(whole.params.Epsilon), "%v: all shares together promise ε %g", kind, w.AchievedEpsilon)
		if n := ledgers(t)[i].Statement(Adaptive); n.Conversion != "capacity" || n.Mu > 0 && ratOf(n.Mu*n.Mu/2).Cmp(new(big.Rat).Mul(planned.capacity, big.NewRat(2, 1))) > 0 {
			t.Errorf("%v: without shares ε %g by %s, μ %g", kind, n.AchievedEpsilon, n.Conversion, n.Mu)
		}
	}
}
