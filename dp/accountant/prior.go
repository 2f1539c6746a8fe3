package accountant

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
)

// Prior is what was charged to a budget before a run, by releases of the same units. It is plain data.
type Prior struct {
	Params Params // of the ledger, chosen before anything was released
	Events []Event
}

// After opens the ledger of a run that would open one with p by itself: with the parameters of the prior, to which its
// events are charged, if there is a prior. A run that needs another accounting, or more noisy numbers than the prior left
// room for, is refused: both were fixed before the first release.
func (r *Prior) After(p Params) (*Ledger, error) {
	if r == nil {
		return NewLedger(p.Preferred())
	}
	first := r.Params
	if first.Neighbouring != p.Neighbouring || first.Epsilon != p.Epsilon || first.Delta != p.Delta {
		return nil, fmt.Errorf("accountant: a release of ε = %g and δ = %g cannot go on with a budget of ε = %g and δ = %g", float64(p.Epsilon), float64(p.Delta), float64(first.Epsilon), float64(first.Delta))
	}
	if first.Accounting == dp.GaussianOnly && p.Accounting != dp.GaussianOnly || p.Accounting == dp.Pure {
		return nil, fmt.Errorf("accountant: the budget is for Gaussian noise alone, and this release needs %v accounting; name its method when the domain is found", p.Accounting)
	}
	first.WeightBits = p.WeightBits
	l, err := NewLedgerAfter(r.Events, first)
	if err == nil && first.Accounting == dp.GaussianOnly && p.Coordinates > first.Coordinates-l.coordinates {
		return nil, fmt.Errorf("accountant: the release may draw %d noisy numbers, and the budget has room for %d more", p.Coordinates, first.Coordinates-l.coordinates)
	}
	return l, err
}
