package accountant

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func runOf(t *testing.T, p Params) Run {
	t.Helper()
	l := must.Value(NewLedger(p))(t)
	return l.Run()
}

// TestBookComposes fills books with equal runs until one is refused. What was admitted promises the book's ε and δ
// by the curves of the composed runs, computed here from their own figures, and one run more would not.
func TestBookComposes(t *testing.T) {
	const epsilon, delta = 3, 1e-9
	for _, row := range []struct {
		name  string
		mixed bool
		delta dp.Delta
		run   Params
		kind  dp.Accounting
		total func(runs float64, r Run) float64 // δ at the book's ε of so many runs
	}{
		{"GDP", false, delta, Params{Accounting: dp.GaussianOnly, Epsilon: 0.5, Delta: 1e-9, Coordinates: 15_000}, dp.GaussianOnly, func(n float64, r Run) float64 {
			mu := math.Sqrt(2 * n * floatUp(r.Loss))
			return GDPDeltaCeil(mu, epsilon) + (1+math.Exp(epsilon))*n*15_000*0.021/math.Exp2(60)
		}},
		{"Gaussian in zCDP", true, delta, Params{Accounting: dp.GaussianOnly, Epsilon: 0.5, Delta: 1e-9, Coordinates: 15_000}, dp.ZCDP, func(n float64, r Run) float64 {
			return RhoDeltaCeil(n*floatUp(r.Loss), epsilon)
		}},
		{"pure in zCDP", true, delta, Params{Accounting: dp.Pure, Epsilon: 0.1}, dp.ZCDP, func(n float64, _ Run) float64 {
			return RhoDeltaCeil(n*0.1*math.Tanh(0.05), epsilon)
		}},
		{"pure", false, 0, Params{Accounting: dp.Pure, Epsilon: 0.3}, dp.Pure, func(n float64, _ Run) float64 {
			if n*0.3 <= epsilon*(1+1e-9) {
				return 0
			}
			return 1
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b, err := NewBook(dp.AddRemove, epsilon, row.delta, row.mixed)
			must.Need(t, err == nil && b.Params().Accounting == row.kind, "%v %v", b, err)
			r := runOf(t, row.run)
			n := 0.0
			for err = b.Charge(r); err == nil && n < 10_000; err = b.Charge(r) {
				n++
			}
			var full ErrExhausted
			must.Need(t, errors.As(err, &full) && float64(b.Runs()) == n && n >= 5, "%g runs, %d in the book: %v", n, b.Runs(), err)
			must.Hold(t, b.ledger.Spent().Cmp(b.ledger.Capacity()) <= 0 && b.ledger.Spent().Cmp(new(big.Rat).SetInt64(0)) > 0, "spent %v of %v", b.ledger.Spent(), b.ledger.Capacity())
			allowed := float64(row.delta)
			got := row.total(n, r)
			must.Hold(t, got <= allowed, "%g runs were admitted: δ = %g", n, got)
			got = row.total(n+1.05, r)
			must.Hold(t, got > allowed, "run %g was refused: δ = %g", n+1, got) // 5 % of a run for the hundredth of δ, and for rounding
			e := b.SpentEpsilon()
			must.Hold(t, e <= epsilon && float64(e) >= 0.8*epsilon, "%g runs have spent ε = %g", n, float64(e))
		})
	}
}

// TestBookLetsOneRunHaveItAll: the first run of the book's own ε and δ, and then none.
func TestBookLetsOneRunHaveItAll(t *testing.T) {
	for _, p := range []Params{
		{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 15_000},
		{Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9},
		{Accounting: dp.Pure, Epsilon: 1},
	} {
		b := must.Value(NewBook(dp.AddRemove, 1, 1e-9, false))(t)
		small := runOf(t, Params{Accounting: dp.GaussianOnly, Epsilon: 0.01, Delta: 1e-9, Coordinates: 10})
		if err := b.Charge(runOf(t, p)); err != nil {
			t.Errorf("%v: %v", p.Accounting, err)
		} else if err := b.Charge(small); err == nil || b.SpentEpsilon() != 1 {
			t.Errorf("%v: a second run fits; ε = %g is spent", p.Accounting, float64(b.SpentEpsilon()))
		}
		second := must.Value(NewBook(dp.AddRemove, 1, 1e-9, false))(t)
		must.Do(t, second.Charge(small))
		must.Fail(t, second.Charge(runOf(t, p)), "", "%v: the whole book for a second run", p.Accounting)
	}
}

func TestBookRefuses(t *testing.T) {
	gaussian := Params{Accounting: dp.GaussianOnly, Epsilon: 0.1, Delta: 1e-9, Coordinates: 10}
	replaced := gaussian
	replaced.Neighbouring = dp.Replace
	larger := gaussian // so that it is not the first and only one
	larger.Epsilon = 4
	for name, row := range map[string]struct {
		delta dp.Delta
		run   Params
	}{
		"another relation":          {1e-9, replaced},
		"too large a first run":     {1e-9, larger},
		"zCDP in a GDP book":        {1e-9, Params{Accounting: dp.ZCDP, Epsilon: 0.1, Delta: 1e-9}},
		"a delta in a pure book":    {0, gaussian},
		"too many noisy numbers":    {1e-9, Params{Accounting: dp.GaussianOnly, Epsilon: 0.1, Delta: 1e-6, Coordinates: 1 << 40}},
		"not the book's: pure, GDP": {1e-9, Params{Accounting: dp.Pure, Epsilon: 0.1}},
	} {
		b := must.Value(NewBook(dp.AddRemove, 3, row.delta, false))(t)
		if first := runOf(t, Params{Accounting: b.params.Accounting, Epsilon: 0.1, Delta: row.delta, Coordinates: 10}); name != "too large a first run" {
			must.Do(t, b.Charge(first))
		}
		spent, runs := b.ledger.Spent(), b.Runs()
		must.Hold(t, b.Charge(runOf(t, row.run)) != nil, "%s: admitted", name)
		must.Hold(t, b.ledger.Spent().Cmp(spent) == 0 && b.Runs() == runs, "%s: refused, and charged", name)
	}
	must.Fails(NewBook(dp.AddRemove, 0, 1e-9, false))(t, "", "a book of ε = 0")
	b, err := NewBook(dp.AddRemove, 1, 1e-14, false)
	must.Hold(t, err == nil && b.params.Accounting == dp.ZCDP, "a δ that pays for few noisy numbers: %v", err)
}

// TestBookCountsNoisyNumbers: a GDP book has room for as many as a hundredth of its δ pays for, in all runs together.
func TestBookCountsNoisyNumbers(t *testing.T) {
	b := must.Value(NewBook(dp.AddRemove, 3, 1e-9, false))(t)
	r := runOf(t, Params{Accounting: dp.GaussianOnly, Epsilon: 0.1, Delta: 1e-6, Coordinates: b.params.Coordinates * 2 / 3})
	paid := (1 + math.Exp(3)) * float64(b.params.Coordinates) * 0.021 / math.Exp2(60)
	must.Hold(t, paid <= 1e-11 && paid >= 0.99e-11, "%d noisy numbers take %g out of δ", b.params.Coordinates, paid)
	must.Do(t, b.Charge(r))
	must.Hold(t, b.Charge(r) != nil, "a second run draws a third too much")
}

func TestThreeRuns(t *testing.T) {
	b := must.Value(NewBook(dp.AddRemove, 3, 1e-9, false))(t)
	for range 3 {
		must.Do(t, b.Charge(runOf(t, Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 100_000})))
	}
	e := b.SpentEpsilon()
	must.Hold(t, e < 2 && e >= 1.7, "three runs of ε = 1 spend %g", float64(e))
}

// TestLargestEpsilon: it fits, and one step more does not.
func TestLargestEpsilon(t *testing.T) {
	b := must.Value(NewBook(dp.AddRemove, 2, 1e-9, false))(t)
	ledgerOf := func(e dp.Epsilon) (*Ledger, error) {
		return NewLedger(Params{Accounting: dp.GaussianOnly, Epsilon: e, Delta: 1e-9, Coordinates: 1000})
	}
	must.Do(t, b.Charge(runOf(t, Params{Accounting: dp.GaussianOnly, Epsilon: 1.2, Delta: 1e-9, Coordinates: 1000})))
	e := b.LargestEpsilon(ledgerOf)
	must.Hold(t, e >= 1.4 && e <= 1.7, "ε = %g", float64(e)) // μ² adds: 1.2² + 1.6² = 2²
	fits, _ := ledgerOf(e)
	over, _ := ledgerOf(e + 0.002)
	must.Hold(t, b.Refusal(fits.Run()) == nil && b.Refusal(over.Run()) != nil, "ε = %g is not the largest", float64(e))
	must.Do(t, b.Charge(fits.Run()))
	if e := b.LargestEpsilon(ledgerOf); e > 0.1 {
		t.Errorf("of a book that is nearly full: ε = %g", float64(e))
	}
}
