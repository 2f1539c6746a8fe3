package accountant

import "github.com/dapple-dp/dapple/dp"

// Gaussian returns p with the kind of accounting that gives its ε and δ the larger capacity for a run that
// draws Gaussian noise alone: GaussianOnly, or ZCDP where the price of discrete noise leaves the former with
// less δ than its curve is worth: at large ε, small δ and many coordinates. Both capacities are sums of
// Δ²/(2σ²), so that they compare. Everything in p is public, so the choice is too.
func (p Params) Gaussian() Params {
	p.Accounting = dp.ZCDP
	zcdp, err := NewLedger(p)
	gdp := p
	gdp.Accounting = dp.GaussianOnly
	if l, gdpErr := NewLedger(gdp); gdpErr == nil && (err != nil || l.capacity.Cmp(zcdp.capacity) >= 0) {
		return gdp
	}
	return p
}
