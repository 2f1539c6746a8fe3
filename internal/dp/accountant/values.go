package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// Values describes a release of the values of columns, each with one value in each record, whose noisy counts are above
// a threshold.
type Values struct {
	Columns int      // at least 1; they share the loss and the delta equally
	First   int64    // values of at most this count are dropped before the draw; at least 0
	Delta   dp.Share // part of the ledger's ValuesDelta
}

// Values returns the event that releases values above a threshold with the least noise whose loss is within the share of
// the capacity, and with the least threshold whose delta is within its part. It charges nothing.
//
// A value that more than First records of both neighbours have is a number with Gaussian noise: Δ² is 1 a column, 2 under
// Replace. Of each column, each of the two tables has at most one value that only there more than First records have,
// and exactly First + 1 do. Let E be the event that none of these passes: P(E) ≥ 1 − Delta for both tables, for noise is
// independent. Given E, both release the same values, so that the loss is the Gaussian one. That is approximate zCDP
// and GDP, which adds Delta, once, to the δ of everything that the ledger holds.
//
// In a column one count differs, two under Replace, and the noise of all others has one law on both sides. So discrete
// noise costs as for so many Coordinates, however many values there are.
//
// Source: Bun, Steinke 2016, arXiv:1605.02065, Section 8.1 (events and composition); Desfontaines, Voss, Gipson,
// Mandayam 2022, arXiv:2006.03684 (thresholds).
func (l *Ledger) Values(v Values, share dp.Share) (Event, error) {
	if v.Columns < 1 || v.First < 0 || v.First > 1<<largestBits || v.Delta.Num <= 0 || v.Delta.Num > v.Delta.Den {
		panic("accountant: values of no columns, a count to drop outside 0 to 2^40, or no part of delta")
	}
	if l.params.Accounting == dp.Pure || l.params.ValuesDelta == 0 {
		return Event{}, errNoDelta
	}
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	unit, columns := l.params.Neighbouring.UnitChanges(), int64(v.Columns)
	part := floorGrid(total.Quo(total, big.NewRat(columns, 1)), quantumBits)
	delta := floatDown(new(big.Rat).Quo(new(big.Rat).Mul(ratOf(float64(l.params.ValuesDelta)), v.Delta.Rat()), big.NewRat(columns, 1)))
	if part.Sign() == 0 || delta < leastDelta {
		return Event{}, errShareTooSmall
	}
	targets := make([]*big.Rat, v.Columns)
	for i := range targets {
		if targets[i] = l.leastNoise(unit, part); i > 0 {
			targets[i] = targets[0]
		}
	}
	e, err := l.measurement(columns*unit, unit, targets)
	if err != nil {
		return Event{}, err
	}
	steps, err := leastExceeded(e.Steps(0), delta)
	if err != nil {
		return Event{}, err
	}
	e.Kind, e.First, e.Delta = dp.ValuesAbove, v.First, times(ratOf(delta), columns)
	e.Threshold = new(big.Rat).Mul(big.NewRat(steps-1, 1), power(-e.GridBits))
	e.Threshold.Add(e.Threshold, big.NewRat(v.First+1, 1))
	return e, nil
}

var errNoDelta = errors.New("accountant: values are found above a threshold at the price of delta, and none is reserved for them; take a delta above 0, or declare the values")

// leastExceeded returns the least k, in steps, for which discrete Gaussian noise of a variance is at least k with
// probability at most δ, by tailCeil.
func leastExceeded(variance *big.Rat, delta float64) (int64, error) {
	const most = 1 << (samplerBits + 8)
	if tailCeil(variance, most) > delta {
		return 0, fmt.Errorf("accountant: no threshold is high enough for a delta of %g", delta)
	}
	return bisect.Int(0, most, func(k int64) bool { return tailCeil(variance, k) <= delta }), nil
}

// tailCeil bounds P(Z ≥ k) from above, Z being discrete Gaussian noise of σ² = variance, in steps; 1 unless k ≥ σ + 1.
//
// Beyond σ the density is convex, so that exp(−y²/(2σ²)) is at most its integral over [y − ½, y + ½]; and the sum over
// all integers is at least σ·√(2π), by Poisson's formula. So P(Z ≥ k) ≤ Φ(−(k − ½)/σ) for k − ½ ≥ σ. The float64
// evaluation is off by less than 2^-40 of itself, as in GDPDeltaCeil.
func tailCeil(variance *big.Rat, k int64) float64 {
	sigma := math.Sqrt(floatUp(variance)) * (1 + 0x1p-50)
	x := (float64(k) - .5) * (1 - 0x1p-50)
	if x < sigma {
		return 1
	}
	return math.Exp(logPhi(-x/sigma)) * (1 + 0x1p-40)
}
