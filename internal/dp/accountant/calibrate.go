package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// Marginals describes the release of one measurement.
type Marginals struct {
	// Precision holds, for each marginal, its part of the event's precision; only ratios matter. See
	// Equal.
	Precision []float64
	// Cells is the number of cells of all marginals together: the noisy numbers drawn.
	Cells int64
}

// Equal returns marginals that share the precision equally.
func Equal(marginals int, cells int64) Marginals {
	return Marginals{Precision: slices.Repeat([]float64{1}, marginals), Cells: cells}
}

// Measure returns the event that measures marginals with the least noise, on its grid, whose loss is within the share
// of the ledger's capacity: Gaussian noise, or Laplace noise if the ledger is Pure. Marginal i gets the part
// precision[i]/Σprecision of 1/σ² (of 1/scale under Pure), and so of the share. It charges nothing. A share that is
// 0, or too small for any noise below 2^40 counts, is an error.
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
	return l.measurement(m.Cells, l.params.Neighbouring.UnitChanges(), slices.Repeat([]*big.Rat{target}, len(m.Precision)))
}

// MaxError returns the event that releases one number which changes by at most the given number of counts between
// neighbours: 1 for the largest absolute error of a cell, under either relation.
func (l *Ledger) MaxError(change dp.Range, share dp.Share) (Event, error) {
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	unit := int64(change)
	if l.params.Accounting != dp.Pure {
		unit *= unit
	}
	return l.measurement(1, unit, []*big.Rat{l.leastNoise(unit, total)})
}

// Select returns the event of one selection among scores of range r by the exponential mechanism (kind Exponential or
// BlockExponential), or of one search for a number above a threshold, where numbers change by at most r between
// neighbours (AboveThreshold), with the least scale b on the grid 2^-20 counts whose loss is within the share of the
// ledger's capacity.
func (l *Ledger) Select(kind dp.Kind, r dp.Range, share dp.Share) (Event, error) {
	if kind != dp.Exponential && kind != dp.BlockExponential && kind != dp.AboveThreshold {
		panic("accountant: Select calibrates exponential mechanisms and searches only")
	}
	at := asked{kind, r, share}
	if e, known := l.selections[at]; known {
		return e, nil
	}
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	event := func(steps int64) Event { return l.selection(kind, r, grid(big.NewInt(steps), ScoreGridBits)) }
	if _, err := event(1).Loss(l.params.Accounting); err != nil {
		return Event{}, err
	}
	within := func(steps int64) bool {
		loss, err := event(steps).Loss(l.params.Accounting)
		return err == nil && loss.Cmp(total) <= 0
	}
	const most = 1 << (largestBits + ScoreGridBits)
	if !within(most) {
		return Event{}, errShareTooSmall
	}
	if l.selections == nil {
		l.selections = map[asked]Event{}
	}
	l.selections[at] = event(bisect.Near(0, most, l.guessSteps(kind, r, total), within))
	return l.selections[at], nil
}

// guessSteps returns about the least scale of a selection, in steps of its grid: R/b from its loss by Loss, in floats.
func (l *Ledger) guessSteps(kind dp.Kind, r dp.Range, loss *big.Rat) int64 {
	bounded, _ := loss.Float64()
	switch {
	case l.params.Accounting == dp.Pure:
	case kind == dp.AboveThreshold:
		bounded = math.Sqrt(2 * bounded) // ε·tanh(ε/2) for small ε
	default:
		bounded = math.Sqrt(8 * bounded)
	}
	if kind == dp.BlockExponential {
		bounded -= math.Ldexp(1, -blockSlackBits)
	}
	return int64(math.Ceil(math.Ldexp(float64(r)/bounded, ScoreGridBits)))
}

// asked holds what the event of a selection depends on, besides the capacity: many rounds request the same event.
type asked struct {
	kind  dp.Kind
	r     dp.Range
	share dp.Share
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

// part returns the share of the capacity that was left when the ledger was opened, rounded down.
func (l *Ledger) part(share dp.Share) (*big.Rat, error) {
	if share.Num <= 0 || share.Den <= 0 {
		return nil, fmt.Errorf("accountant: share %d/%d of the capacity: want a share above 0", share.Num, share.Den)
	}
	return floorGrid(new(big.Rat).Mul(l.open, share.Rat()), quantumBits), nil
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
// Neighbours differ by unit in each marginal: in L1 if the ledger is Pure, in squared L2 if not.
func (l *Ledger) measurement(cells, unit int64, targets []*big.Rat) (Event, error) {
	e := Event{
		Kind: dp.DiscreteGaussian, Count: 1, Neighbouring: l.params.Neighbouring, Coordinates: cells,
		GridBits: l.params.WeightBits,
	}
	limit, finest := power(2*largestBits), power(2*samplerBits)
	if l.params.Accounting == dp.Pure {
		e.Kind, e.L1 = dp.DiscreteLaplace, dp.L1(unit)
		limit, finest = power(largestBits), power(samplerBits)
	} else {
		e.L2Squared = dp.L2Squared(unit)
	}
	round := func(x *big.Rat) *big.Rat { return ceilGrid(x, bitsFor(x)) }
	if l.params.Accounting == dp.GaussianOnly {
		e.GridBits = l.gridFor(targets)
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
	switch {
	case e.GridBits == 0 || e.coarsest().Cmp(finest) <= 0:
		return e, nil
	case l.params.Accounting == dp.GaussianOnly:
		return Event{}, errors.New("accountant: the precisions of one event differ too much for GDP; use zCDP")
	}
	return Event{}, errShareTooSmall
}

func (l *Ledger) selection(kind dp.Kind, r dp.Range, scale *big.Rat) Event {
	return Event{
		Kind: kind, Count: 1, Neighbouring: l.params.Neighbouring,
		Range: r, Scales: []*big.Rat{scale}, GridBits: ScoreGridBits,
	}
}

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
