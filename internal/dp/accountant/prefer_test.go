package accountant

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

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
