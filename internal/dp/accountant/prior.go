package accountant

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
)

// Prior is the part of a budget that is for releases before a run, of the same units, and what they have charged. All but the
// events is fixed before anything is released. It is plain data.
type Prior struct {
	ID          string   `json:",omitempty"` // of their noise, under which a budget book charges them once
	Params      Params   // of the ledger
	Share       dp.Share // the part of the capacity, whether or not all of it was charged; the run has the rest
	Coordinates int64    // noisy numbers that the releases may draw
	Events      []Event
}

// Runs returns upper bounds on the loss of the releases before, and on the loss of the run, which may draw so many noisy numbers and
// has a loss only if something is left. Both have the δ of the ledger, and each the least ε, rounded up, that it satisfies by itself.
func (r *Prior) Runs(numbers int64) (before, rest Run, err error) {
	l, err := NewLedger(r.Params)
	if err != nil {
		return before, rest, err
	}
	before = l.Run()
	if r.Share.Num >= r.Share.Den {
		return before, Run{}, nil
	}
	rest = before
	before.Loss, rest.Loss, rest.ValuesDelta = new(big.Rat).Mul(l.capacity, r.Share.Rat()), r.rest(l), 0
	if r.Params.Accounting == dp.GaussianOnly {
		before.Coordinates, rest.Coordinates = r.Coordinates, numbers
	}
	before.Epsilon, rest.Epsilon = before.least(), rest.least()
	return before, rest, nil
}

// rest is the part of a ledger's capacity that is for the run.
func (r *Prior) rest(l *Ledger) *big.Rat {
	return new(big.Rat).Sub(l.capacity, new(big.Rat).Mul(l.capacity, r.Share.Rat()))
}

// least returns the least ε, rounded up, that the loss satisfies at Delta; at most Epsilon.
func (r Run) least() dp.Epsilon {
	const smallest = 0x1p-40
	delta := deltaBut(r.Delta, r.ValuesDelta)
	switch {
	case delta < leastDelta || r.Accounting == dp.Pure:
		return r.Epsilon
	case r.Accounting == dp.GaussianOnly:
		return max(smallest, gdpEpsilonCeil(muOf(r.Loss), r.Coordinates, delta, r.Epsilon))
	}
	return max(smallest, min(r.Epsilon, dp.Epsilon(rhoCurve(floatUp(r.Loss)).epsilonCeil(delta))))
}

// LedgerAfter opens the ledger of a run that would open one with p by itself: with the parameters of the prior, to which its
// events are charged, if there is a prior. A run that needs another accounting, or more noisy numbers than the prior left
// room for, is refused: both were fixed before the first release.
func LedgerAfter(r *Prior, p Params) (*Ledger, error) {
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
	if err == nil {
		err = l.goOn(r, p.Coordinates)
	}
	return l, err
}

// goOn leaves a ledger what is the run's: the prior's share is no part of that, also if some of it was not charged, so that the
// bounds on both are known before anything is released. The run draws at most so many noisy numbers.
func (l *Ledger) goOn(r *Prior, numbers int64) error {
	rest := r.rest(l)
	if rest.Sign() <= 0 {
		return errors.New("accountant: the releases before have the whole budget, and leave nothing")
	}
	if l.params.Accounting == dp.GaussianOnly {
		if left := l.params.Coordinates - l.coordinates; numbers > left {
			return fmt.Errorf("accountant: the release may draw %d noisy numbers, and the budget has room for %d more", numbers, left)
		}
		l.coordinates = l.params.Coordinates - numbers
	}
	if l.after, l.numbers = r, numbers; l.open.Cmp(rest) > 0 {
		l.open, l.capacity = rest, new(big.Rat).Add(l.spent, rest)
	}
	l.valuesSpent = ratOf(float64(l.params.ValuesDelta))
	return nil
}

// Together returns what a run promises together with one before it on the same units, that had a ledger of its own: an ε,
// rounded up, at the sum of both δ. It is at most the sum of both ε. The run may have been chosen by what the one before
// has released, within its own ε and δ.
//
// The losses of Gaussian noise add, and so do losses under zCDP, under which Gaussian noise has the same. What values above a
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
