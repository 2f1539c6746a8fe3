package accountant

import "github.com/dapple-dp/dapple/dp"

// Preferred returns p. If p asks for GaussianOnly, its accounting becomes the kind that gives ε and δ the larger
// capacity for a run that draws only Gaussian noise: GaussianOnly, or ZCDP if the cost of discrete noise takes too
// much of δ, which happens at large ε, small δ and many coordinates. Both capacities are sums of Δ²/(2σ²) and so
// comparable. Everything in p is public, so the choice is too.
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
