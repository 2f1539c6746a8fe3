package accountant

import (
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// withValues is a run of Gaussian noise that releases values above a threshold.
func withValues(t *testing.T, p Params) Run {
	t.Helper()
	l := must.Value(NewLedger(p))(t)
	return l.Run()
}

// TestPriorApart: a run and one before it that had a budget of its own promise together what their losses add up to, and
// never less than either. Gaussian losses are compared with the curve of their sum, which pays for both reserves of δ.
func TestPriorApart(t *testing.T) {
	first := withValues(t, Params{Accounting: dp.GaussianOnly, Epsilon: .3, Delta: 1e-10, ValuesDelta: 5e-11, Coordinates: 1000})
	second := withValues(t, Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 100_000})
	epsilon, delta := second.Together(first)
	must.Hold(t, delta >= 1.1e-9 && delta <= 1.1e-9*(1+1e-12) && epsilon > 1 && epsilon <= 1.1,
		"together ε = %g and δ = %g, want more than 1 and far less than 1.3 at 1.1e-9", epsilon, delta)
	mu := muOf(new(big.Rat).Add(first.Loss, second.Loss))
	reserves := 5e-11 + discreteDelta(float64(epsilon), 101_000)
	got := GDPDeltaCeil(mu, epsilon) + reserves
	must.Hold(t, got <= float64(delta) && got >= .999*float64(delta), "at that ε the losses have δ = %g, stated are %g", got, delta)
	got = GDPDeltaCeil(mu, epsilon*(1-1e-6)) + reserves
	must.Hold(t, got > float64(delta), "a smaller ε would do")
	zcdp := withValues(t, Params{Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9})
	if e, d := zcdp.Together(first); d != delta || e <= 1 || e > 1.1 || float64(e) < rhoCurve(floatUp(new(big.Rat).Add(first.Loss, zcdp.Loss))).epsilonCeil(d-5e-11) {
		t.Errorf("with zCDP ε = %g and δ = %g", e, d)
	}
	pure := withValues(t, Params{Accounting: dp.Pure, Epsilon: 1})
	e, d := pure.Together(first)
	must.Hold(t, e >= 1.3 && e <= 1.3000001 && d == 1e-10, "a pure run with it: ε = %g and δ = %g, want the sums", e, d)
	replace := second
	replace.Neighbouring = dp.Replace
	e, _ = replace.Together(first)
	must.Hold(t, e >= 1.3, "of two relations: ε = %g, want the sum", e)
}

// TestPriorAndRunArePartsOfOneBudget: bounds on the releases before and on the run add up to the budget, in its loss, its noisy
// numbers and its δ for values. Each has an ε of its own, below the ε of both, and a book takes both for no more than the whole.
// A run after releases that left some of their share spends what its bound says, and not the rest.
func TestPriorAndRunArePartsOfOneBudget(t *testing.T) {
	for _, kind := range []dp.Accounting{dp.GaussianOnly, dp.ZCDP} {
		for _, epsilon := range []dp.Epsilon{.01, .6, 5} {
			for _, share := range []dp.Share{dp.ShareOf(1, 1000), dp.ShareOf(1, 10), dp.ShareOf(1, 2)} {
				p := Params{Accounting: kind, Epsilon: epsilon, Delta: 1e-7, ValuesDelta: 1e-8}
				if kind == dp.GaussianOnly {
					p.Coordinates = 1 << 20
				}
				prior := &Prior{Params: p, Share: share, Coordinates: 1000}
				whole := withValues(t, p)
				const numbers = 500
				before, rest, err := prior.Runs(numbers)
				must.Do(t, err)
				must.Hold(t, new(big.Rat).Add(before.Loss, rest.Loss).Cmp(whole.Loss) == 0 && (kind != dp.GaussianOnly || before.Coordinates == 1000 && rest.Coordinates == numbers) && before.ValuesDelta == p.ValuesDelta && rest.ValuesDelta == 0,
					"%+v and %+v are no parts of %+v", before, rest, whole)
				must.Hold(t, before.Epsilon > 0 && before.Epsilon < epsilon && rest.Epsilon < epsilon && float64(before.Epsilon+rest.Epsilon) > .99*float64(epsilon),
					"%v: ε = %g is %g and %g", kind, float64(epsilon), float64(before.Epsilon), float64(rest.Epsilon))
				half := must.Value(NewLedger(p))(t)
				e := must.Value(half.MaxError(1, dp.ShareOf(share.Num, 2*share.Den)))(t)
				prior.Events = []Event{e.At("found", 1)}
				q := p
				q.ValuesDelta, q.Coordinates = 0, min(q.Coordinates, numbers)
				l := must.Value(LedgerAfter(prior, q))(t)
				if r := l.Run(); r.Loss.Cmp(rest.Loss) != 0 || r.Epsilon != rest.Epsilon || l.open.Cmp(rest.Loss) != 0 || l.Remaining().Cmp(rest.Loss) != 0 {
					t.Errorf("the run has %v, and is charged %v", l.Remaining(), r.Loss)
				}
				v, err := l.Values(Values{Columns: 1, Delta: dp.ShareOf(1, 1)}, dp.ShareOf(1, 2))
				must.Hold(t, err != nil || l.Charge(v.At("values", 1)) != nil, "the run spends of the δ for values, which is that of the releases before")
				e.Coordinates = numbers + 1
				err = l.Charge(e.At("total", 1))
				must.Hold(t, kind != dp.GaussianOnly || err != nil, "the run draws more noisy numbers than its bound has")
			}
		}
	}
	whole := &Prior{Params: Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-7, Coordinates: 1000}, Share: dp.ShareOf(1, 1)}
	before, _, err := whole.Runs(0)
	must.Hold(t, err == nil && before.Epsilon == 1 && before.Coordinates == 1000, "a finding with all of its budget: %+v, %v", before, err)
	must.Fails(LedgerAfter(whole, whole.Params))(t, "", "a run after a finding that has the whole budget")
}

// TestBookPaysForValues: what a run may spend of δ on values is paid from what the book keeps back, also in the ε that it
// says is spent, and a run that spends more is refused, even the first.
func TestBookPaysForValues(t *testing.T) {
	run := func(values dp.Delta) Run {
		return withValues(t, Params{Accounting: dp.GaussianOnly, Epsilon: .3, Delta: 1e-10, ValuesDelta: values, Coordinates: 1000})
	}
	book := func(mixed bool) *Book {
		b := must.Value(NewBook(dp.AddRemove, 3, 1e-9, mixed))(t)
		return b
	}
	b := book(false)
	for i := range 2 { // a hundredth of δ is 1e-11
		err := b.Charge(run(6e-12))
		must.Need(t, (err == nil) == (i == 0), "charge %d of 6e-12: %v", i, err)
	}
	must.Pass(t, b.Charge(run(3e-12)))
	must.Hold(t, b.values >= 9e-12 && b.values <= 9e-12*(1+1e-12) && b.Runs() == 2, "%d runs spend %g of δ on values", b.Runs(), b.values)
	spent := float64(b.SpentEpsilon())
	mu := muOf(b.ledger.Spent())
	got := GDPDeltaCeil(mu, dp.Epsilon(spent)) + 9e-12 + discreteDelta(spent, b.params.Coordinates)
	must.Hold(t, got <= 1e-9, "the ε that is spent, %g, has δ = %g", spent, got)
	must.Fail(t, book(false).Charge(run(5e-11)), "", "a first run spends more of δ on values than the book keeps back")
	must.Fail(t, book(true).Charge(run(6e-12)), "", "a book that keeps nothing back pays for values")
}
