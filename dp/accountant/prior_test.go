package accountant

import (
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
)

// withValues is a run of Gaussian noise that releases values above a threshold.
func withValues(t *testing.T, p Params) Run {
	t.Helper()
	l, err := NewLedger(p)
	if err != nil {
		t.Fatal(err)
	}
	return l.Run()
}

// TestPriorApart: a run and one before it that had a budget of its own promise together what their losses add up to, and
// never less than either. Gaussian losses are compared with the curve of their sum, which pays for both reserves of δ.
func TestPriorApart(t *testing.T) {
	first := withValues(t, Params{Accounting: dp.GaussianOnly, Epsilon: .3, Delta: 1e-10, ValuesDelta: 5e-11, Coordinates: 1000})
	second := withValues(t, Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 100_000})
	epsilon, delta := second.Together(first)
	if delta < 1.1e-9 || delta > 1.1e-9*(1+1e-12) || epsilon <= 1 || epsilon > 1.1 {
		t.Errorf("together ε = %g and δ = %g, want more than 1 and far less than 1.3 at 1.1e-9", epsilon, delta)
	}
	mu := muOf(new(big.Rat).Add(first.Loss, second.Loss))
	reserves := 5e-11 + discreteDelta(float64(epsilon), 101_000)
	if got := GDPDeltaCeil(mu, epsilon) + reserves; got > float64(delta) || got < .999*float64(delta) {
		t.Errorf("at that ε the losses have δ = %g, stated are %g", got, delta)
	}
	if got := GDPDeltaCeil(mu, epsilon*(1-1e-6)) + reserves; got <= float64(delta) {
		t.Error("a smaller ε would do")
	}
	zcdp := withValues(t, Params{Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9})
	if e, d := zcdp.Together(first); d != delta || e <= 1 || e > 1.1 || float64(e) < rhoCurve(floatUp(new(big.Rat).Add(first.Loss, zcdp.Loss))).epsilonCeil(d-5e-11) {
		t.Errorf("with zCDP ε = %g and δ = %g", e, d)
	}
	pure := withValues(t, Params{Accounting: dp.Pure, Epsilon: 1})
	if e, d := pure.Together(first); e < 1.3 || e > 1.3000001 || d != 1e-10 {
		t.Errorf("a pure run with it: ε = %g and δ = %g, want the sums", e, d)
	}
	replace := second
	replace.Neighbouring = dp.Replace
	if e, _ := replace.Together(first); e < 1.3 {
		t.Errorf("of two relations: ε = %g, want the sum", e)
	}
}

// TestBookPaysForValues: what a run may spend of δ on values is paid from what the book keeps back, also in the ε that it
// says is spent, and a run that spends more is refused, even the first.
func TestBookPaysForValues(t *testing.T) {
	run := func(values dp.Delta) Run {
		return withValues(t, Params{Accounting: dp.GaussianOnly, Epsilon: .3, Delta: 1e-10, ValuesDelta: values, Coordinates: 1000})
	}
	book := func(mixed bool) *Book {
		b, err := NewBook(dp.AddRemove, 3, 1e-9, mixed)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := book(false)
	for i := range 2 { // a hundredth of δ is 1e-11
		if err := b.Charge(run(6e-12)); (err == nil) != (i == 0) {
			t.Fatalf("charge %d of 6e-12: %v", i, err)
		}
	}
	if err := b.Charge(run(3e-12)); err != nil {
		t.Error(err)
	}
	if b.values < 9e-12 || b.values > 9e-12*(1+1e-12) || b.Runs() != 2 {
		t.Errorf("%d runs spend %g of δ on values", b.Runs(), b.values)
	}
	spent := float64(b.SpentEpsilon())
	mu := muOf(b.Spent())
	if got := GDPDeltaCeil(mu, dp.Epsilon(spent)) + 9e-12 + discreteDelta(spent, b.params.Coordinates); got > 1e-9 {
		t.Errorf("the ε that is spent, %g, has δ = %g", spent, got)
	}
	if err := book(false).Charge(run(5e-11)); err == nil {
		t.Error("a first run spends more of δ on values than the book keeps back")
	}
	if err := book(true).Charge(run(6e-12)); err == nil {
		t.Error("a book that keeps nothing back pays for values")
	}
}
