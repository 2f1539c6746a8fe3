package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
)

const (
	// scaleBits: scales of noise on whole counts keep 16 bits, which wastes at most 2^-16 of a share and
	// keeps the integers of the samplers small.
	scaleBits = 16
	// finestBits is the finest grid of noise: 2^-36 counts. Counts up to 2^27 fit an int64 on it.
	finestBits = 36
	// largestBits: noise of more than 2^40 counts is refused; it would leave the int64 of the scores.
	largestBits = 40
	// samplerBits: noise of more than 2^46 grid steps is refused, so that sums stay in the int64 of the
	// samplers.
	samplerBits = 46
)

// Marginals says what one measurement releases.
type Marginals struct {
	// Precision holds, for each marginal, its part of the event's precision; only ratios matter. See
	// Equal.
	Precision []float64
	// Cells is the number of cells of all marginals together: the noisy numbers drawn.
	Cells int64
}

// Equal returns marginals that share the precision equally.
func Equal(marginals int, cells int64) Marginals {
	m := Marginals{Precision: make([]float64, marginals), Cells: cells}
	for i := range m.Precision {
		m.Precision[i] = 1
	}
	return m
}

// Measure returns the event that measures marginals with the least noise, on its grid, whose loss is
// within the share of the ledger's capacity: Gaussian noise, or Laplace noise where the ledger is Pure.
// Marginal i gets precision[i]/Σprecision of 1/σ² (of 1/scale under Pure), so its part of the share.
// It charges nothing. A share that is 0, or too small for any noise below 2^40 counts, is an error.
func (l *Ledger) Measure(m Marginals, share dp.Share) (Event, error) {
	m.mustBeUsable()
	unit := l.params.Neighbouring.UnitChanges()
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	targets := make([]*big.Rat, len(m.Precision))
	for i, part := range m.parts(total) {
		if i > 0 && m.Precision[i] == m.Precision[i-1] {
			targets[i] = targets[i-1]
			continue
		}
		if part.Sign() == 0 {
			return Event{}, errShareTooSmall
		}
		targets[i] = l.leastNoise(unit, part)
	}
	return l.measurement(m.Cells, unit, targets)
}

// MeasureVariance is Measure with a given noise variance, in counts², for every marginal.
func (l *Ledger) MeasureVariance(m Marginals, variance float64) (Event, error) {
	m.mustBeUsable()
	if !(variance > 0) || math.IsInf(variance, 0) {
		return Event{}, fmt.Errorf("accountant: noise variance %g: want a finite number above 0", variance)
	}
	target := ratOf(variance)
	if l.params.Accounting == dp.Pure { // the variance of Laplace noise is at most 2·scale²
		target = ratOf(math.Nextafter(math.Sqrt(variance/2), math.Inf(1)))
	}
	targets := make([]*big.Rat, len(m.Precision))
	for i := range targets {
		targets[i] = target
	}
	return l.measurement(m.Cells, l.params.Neighbouring.UnitChanges(), targets)
}

// MaxError returns the event that releases one number which changes by at most one count between
// neighbours of either relation, such as the largest absolute cell error.
func (l *Ledger) MaxError(share dp.Share) (Event, error) {
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	const unit = 1 // one count, whatever the relation
	return l.measurement(1, unit, []*big.Rat{l.leastNoise(unit, total)})
}

// Select returns the event of one selection among scores of range r by the exponential mechanism
// (kind Exponential or BlockExponential), with the least scale b on the grid 2^-20 counts whose loss is
// within the share of the ledger's capacity.
func (l *Ledger) Select(kind dp.Kind, r dp.Range, share dp.Share) (Event, error) {
	if kind != dp.Exponential && kind != dp.BlockExponential {
		panic("accountant: Select calibrates exponential mechanisms only")
	}
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	event := func(steps *big.Int) Event { return l.selection(kind, r, grid(steps, ScoreGridBits)) }
	if _, err := event(big.NewInt(1)).Loss(l.params.Accounting); err != nil {
		return Event{}, err
	}
	steps, ok := least(largestBits+ScoreGridBits, func(steps *big.Int) bool {
		loss, err := event(steps).Loss(l.params.Accounting)
		return err == nil && loss.Cmp(total) <= 0
	})
	if !ok {
		return Event{}, errShareTooSmall
	}
	return event(steps), nil
}

// LaplaceMax returns the event of one selection of the largest of several scores of range r with
// discrete Laplace noise of the given scale, in counts, on each; the scale is rounded up to the grid
// 2^-20 counts.
func (l *Ledger) LaplaceMax(r dp.Range, scale float64) (Event, error) {
	const bits = samplerBits - ScoreGridBits
	if !(scale > 0 && scale <= 1<<bits) {
		return Event{}, fmt.Errorf("accountant: Laplace scale %g: want a number above 0 and at most 2^%d", scale, bits)
	}
	return l.selection(dp.LaplaceMax, r, ceilGrid(ratOf(scale), ScoreGridBits)), nil
}

var errShareTooSmall = errors.New("accountant: the share is too small: it would need noise of more than 2^40 counts; " +
	"raise epsilon, or use fewer releases")

// part returns share·capacity, rounded down.
func (l *Ledger) part(share dp.Share) (*big.Rat, error) {
	if share.Num <= 0 || share.Den <= 0 {
		return nil, fmt.Errorf("accountant: share %d/%d of the capacity: want a share above 0", share.Num, share.Den)
	}
	return floorGrid(new(big.Rat).Mul(l.capacity, share.Rat()), quantumBits), nil
}

// parts splits a total by precision, each part rounded down, so that they never exceed the total.
func (m Marginals) parts(total *big.Rat) []*big.Rat {
	sum := new(big.Rat)
	for _, p := range m.Precision {
		sum.Add(sum, ratOf(p))
	}
	unit := new(big.Rat).Quo(total, sum)
	parts := make([]*big.Rat, len(m.Precision))
	for i, p := range m.Precision {
		if i > 0 && p == m.Precision[i-1] {
			parts[i] = parts[i-1]
			continue
		}
		parts[i] = floorGrid(new(big.Rat).Mul(unit, ratOf(p)), quantumBits)
	}
	return parts
}

func (m Marginals) mustBeUsable() {
	if len(m.Precision) == 0 {
		panic("accountant: measurement of no marginals")
	}
	for _, p := range m.Precision {
		if !(p > 0) || math.IsInf(p, 0) {
			panic("accountant: a marginal's precision is not a finite number above 0")
		}
	}
}

// leastNoise returns the real-valued noise of one marginal whose loss is exactly the given part:
// σ² = Δ²/(2·part), or scale = Δ₁/part under Pure, for Δ² = Δ₁ = unit.
func (l *Ledger) leastNoise(unit int64, part *big.Rat) *big.Rat {
	if l.params.Accounting == dp.Pure {
		return new(big.Rat).Quo(big.NewRat(unit, 1), part)
	}
	return new(big.Rat).Quo(big.NewRat(unit, 2), part)
}

// measurement returns the event whose noise is targets rounded up to the grid of the ledger's kind.
// Neighbours differ by unit in each marginal, in L1 and in squared L2 alike.
func (l *Ledger) measurement(cells, unit int64, targets []*big.Rat) (Event, error) {
	e := Event{Kind: dp.DiscreteGaussian, Count: 1, Neighbouring: l.params.Neighbouring, Coordinates: cells}
	limit := power(2 * largestBits)
	if l.params.Accounting == dp.Pure {
		e.Kind, e.L1 = dp.DiscreteLaplace, dp.L1(unit)
		limit = power(largestBits)
	} else {
		e.L2Squared = dp.L2Squared(unit)
	}
	round := func(x *big.Rat) *big.Rat { return ceilGrid(x, bitsFor(x)) }
	if l.params.Accounting == dp.GaussianOnly {
		e.GridBits = gridFor(targets)
		round = func(x *big.Rat) *big.Rat { return roundFine(x, e.GridBits) }
	}
	e.Scales = make([]*big.Rat, len(targets))
	for i, x := range targets {
		switch {
		case x.Cmp(limit) > 0:
			return Event{}, errShareTooSmall
		case i > 0 && x == targets[i-1]:
			e.Scales[i] = e.Scales[i-1]
		default:
			e.Scales[i] = round(x)
		}
	}
	if e.GridBits > 0 && e.coarsest().Cmp(power(2*samplerBits)) > 0 {
		return Event{}, errors.New("accountant: the precisions of one event differ too much for GDP; use zCDP")
	}
	return e, nil
}

// coarsest returns the largest noise of an event in grid steps.
func (e Event) coarsest() *big.Rat {
	largest := e.Steps(0)
	for i := e.run(0); i < len(e.Scales); i += e.run(i) {
		if s := e.Steps(i); s.Cmp(largest) > 0 {
			largest = s
		}
	}
	return largest
}

// bitsFor returns the least k ≥ 0, at most 36, for which x·2^k ≥ 2^16.
func bitsFor(x *big.Rat) int {
	for k := 0; k < finestBits; k++ {
		if new(big.Rat).Mul(x, power(k)).Cmp(power(scaleBits)) >= 0 {
			return k
		}
	}
	return finestBits
}

// gridFor returns the least j ≥ 0, at most 36, for which every σ is at least 2^26 steps of 2^-j.
func gridFor(variances []*big.Rat) int {
	smallest := variances[0]
	for _, v := range variances[1:] {
		if v.Cmp(smallest) < 0 {
			smallest = v
		}
	}
	for j := 0; j < finestBits; j++ {
		if new(big.Rat).Mul(smallest, power(2*j)).Cmp(power(2*gdpGridBits)) >= 0 {
			return j
		}
	}
	return finestBits
}

// roundFine rounds σ² up to an integer of at least 2^52 in squared steps of 2^-bits.
func roundFine(variance *big.Rat, bits int) *big.Rat {
	v := ceilGrid(variance, 2*bits)
	if floor := power(2 * (gdpGridBits - bits)); v.Cmp(floor) < 0 {
		return floor
	}
	return v
}

func (l *Ledger) selection(kind dp.Kind, r dp.Range, scale *big.Rat) Event {
	return Event{
		Kind: kind, Count: 1, Neighbouring: l.params.Neighbouring,
		Range: r, Scales: []*big.Rat{scale}, GridBits: ScoreGridBits,
	}
}

// least returns the least n in [1, 2^bits] that satisfies a predicate which, once true, stays true; ok
// is false where none does.
func least(bits int, satisfies func(n *big.Int) bool) (n *big.Int, ok bool) {
	high := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if !satisfies(high) {
		return nil, false
	}
	low := new(big.Int) // never satisfies
	for {
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		if middle.Cmp(low) == 0 {
			return high, true
		}
		if satisfies(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}
