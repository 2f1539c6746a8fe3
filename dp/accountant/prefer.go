package accountant

import "github.com/dapple-dp/dapple/dp"

// Preferred returns p, if it asks for GaussianOnly, with the kind of accounting that gives its ε and δ the
// larger capacity for a run that draws Gaussian noise alone: GaussianOnly, or ZCDP if the price of discrete
// noise leaves the former with less δ than its curve is worth: at large ε, small δ and many coordinates. Both
// capacities are sums of Δ²/(2σ²), so that they compare. Everything in p is public, so the choice is too.
func (p Params) Preferred() Params {
	if p.Accounting != dp.GaussianOnly {
		return p
	}
	zcdp := p
	zcdp.Accounting = dp.ZCDP
	other, err := NewLedger(zcdp)
	if l, gdpErr := NewLedger(p); gdpErr == nil && (err != nil || l.capacity.Cmp(other.capacity) >= 0) {
		return p
	}
	return zcdp
}
