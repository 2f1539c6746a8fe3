package accountant

import (
	"fmt"
	"math/big"

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

// Together returns what a run promises together with one before it on the same units, that had a ledger of its own: an ε,
// rounded up, at the sum of both δ. It is at most the sum of both ε. The run may have been chosen by what the one before
// has released, within its own ε and δ.
//
// The losses of Gaussian noise add, and so do those of zCDP, under which Gaussian noise has the same. What values above a
// threshold may spend of δ adds to the δ of that.
func (r Run) Together(before Run) (dp.Epsilon, dp.Delta) {
	epsilon := dp.Epsilon(floatUp(new(big.Rat).Add(ratOf(float64(r.Epsilon)), ratOf(float64(before.Epsilon)))))
	delta := deltaSum(r.Delta, before.Delta)
	left := deltaBut(deltaBut(delta, r.ValuesDelta), before.ValuesDelta)
	gaussian := r.Accounting == dp.GaussianOnly && before.Accounting == dp.GaussianOnly
	switch loss := new(big.Rat).Add(r.Loss, before.Loss); {
	case r.Accounting == dp.Pure || before.Accounting == dp.Pure || r.Neighbouring != before.Neighbouring:
	case gaussian && epsilon <= largestGDPEpsilon:
		epsilon = gdpEpsilonCeil(muOf(loss), r.Coordinates+before.Coordinates, left, epsilon)
	case !gaussian:
		epsilon = min(epsilon, dp.Epsilon(rhoCurve(floatUp(loss)).epsilonCeil(left)))
	}
	return epsilon, delta
}
