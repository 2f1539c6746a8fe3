package accountant

import (
	"errors"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp"
)

// Centred is one marginal of a release of residuals: its counts plus independent noise, the sum
// centred along every axis. The sizes k of its axes are public.
type Centred struct {
	// Precision is the desired 1/variance of a cell after centring; only ratios between marginals matter.
	Precision float64
	// Left is Π(1−1/k), above 0: the part of the noise's variance that remains after centring.
	Left *big.Rat
	// L2Squared is the squared L2 sensitivity of the centred counts, in counts², for the ledger's relation.
	L2Squared *big.Rat
	// L1 is the L1 sensitivity of the counts before centring, in counts: what a Pure ledger charges. Without it there is no
	// pure loss.
	L1 dp.L1
	// Axes is 0 for a table that is not centred and changes by whole steps of any grid. A table that is only rounded
	// to the grid has 2: neighbours' numbers then differ from the exact difference by at most a step.
	Axes  int
	Cells int64 // the noisy numbers drawn
}

// precisionBits: precisions below 2^-30 of the largest are raised to that, so that all noise of one event fits the
// samplers on one grid: σ ≤ 2^31·2^15 steps.
const precisionBits = 30

// Residuals returns the event that releases centred marginals with the least noise whose loss is within the
// share of the ledger's capacity. With c = Left, Δ² the squared sensitivity and σ² the variance of the
// noise before centring,
//
//	u = 1/(c·σ²) ∝ Precision,   loss = ΣΔ²/(2σ²)
//
// Precisions for which c·Precision is below 2^-30 of the largest are raised to that. Gaussian noise has a fine grid, σ ≥
// 2^30 steps, whatever the kind of ledger, because the sensitivity is exact only up to the grid: see Centred.OnGrid. A
// Pure ledger has Laplace noise on the grid of the counts, and what is released is a function of counts plus noise:
//
//	u = 1/(2·c·scale²),   loss = ΣL1/scale
//
// A share that is 0 or needs noise above 2^40 counts is an error. It charges nothing, and panics if there are no
// marginals or incomplete ones.
func (l *Ledger) Residuals(marginals []Centred, share dp.Share) (Event, error) {
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	relative := relativePrecision(marginals)
	if l.params.Accounting == dp.Pure {
		return l.laplaceResiduals(marginals, relative, total)
	}
	exact, charged := make([]*big.Rat, len(marginals)), make([]*big.Rat, len(marginals))
	e := Event{Kind: dp.DiscreteGaussian, Count: 1, Neighbouring: l.params.Neighbouring}
	for i, m := range marginals {
		exact[i] = ceilGrid(m.L2Squared, capacityBits) // at most what is charged
		e.Coordinates += m.Cells
	}
	// Rounding the sensitivities only adds noise, so a grid that is fine enough without it stays fine enough.
	targets, err := centredNoise(exact, relative, total)
	if err != nil {
		return Event{}, err
	}
	e.GridBits = l.gridFor(targets)
	for i, m := range marginals {
		charged[i] = m.OnGrid(e.GridBits)
	}
	if targets, err = centredNoise(charged, relative, total); err != nil {
		return Event{}, err
	}
	e.Sensitivities, e.Scales = charged, make([]*big.Rat, len(targets))
	for i, x := range targets {
		if e.Scales[i], err = roundShort(x, e.GridBits); err != nil {
			return Event{}, err
		}
	}
	return e, nil
}

// laplaceResiduals gives each marginal a part of the total in the ratio of L1·√(c·Precision), rounded down.
func (l *Ledger) laplaceResiduals(marginals []Centred, relative []*big.Rat, total *big.Rat) (Event, error) {
	weights, l1, sum, cells := make([]*big.Rat, len(marginals)), make([]*big.Rat, len(marginals)), new(big.Rat), int64(0)
	for i, m := range marginals {
		if m.L1 < 1 {
			return Event{}, errNotPure
		}
		l1[i], weights[i] = big.NewRat(int64(m.L1), 1), times(rootCeil(relative[i], precisionBits), int64(m.L1))
		sum.Add(sum, weights[i])
		cells += m.Cells
	}
	targets := make([]*big.Rat, len(marginals))
	for i, w := range weights {
		part := floorGrid(w.Mul(w, total).Quo(w, sum), quantumBits)
		if part.Sign() == 0 {
			return Event{}, errShareTooSmall
		}
		targets[i] = part.Quo(l1[i], part)
	}
	e, err := l.measurement(cells, 0, targets)
	e.Sensitivities = l1
	return e, err
}

// Scores returns the event that releases n distances Σ|count − base|, one for each of n marginals, with one variance,
// whose loss is within the share of the ledger's capacity. A record changes each distance by at most 1 count: Δ² = n
// under AddRemove and 4n under Replace, and the L1 sensitivity is n and 2n. Gaussian noise has a fine grid, σ ≥ 2^30
// steps, whatever the kind of ledger; Laplace noise, of a Pure one, has the grid 2^-20. Errors come from Residuals.
func (l *Ledger) Scores(n int, share dp.Share) (Event, error) {
	if n < 1 {
		panic("accountant: release of no scores")
	}
	total, err := l.part(share)
	if err != nil {
		return Event{}, err
	}
	unit := l.params.Neighbouring.UnitChanges()
	e := Event{
		Kind: dp.DiscreteGaussian, Count: 1, Neighbouring: l.params.Neighbouring,
		L2Squared: dp.L2Squared(unit * unit), Coordinates: int64(n),
	}
	part := floorGrid(total.Quo(total, big.NewRat(int64(n), 1)), quantumBits)
	if part.Sign() == 0 {
		return Event{}, errShareTooSmall
	}
	var scale *big.Rat
	if l.params.Accounting == dp.Pure {
		e.Kind, e.L1, e.L2Squared, e.GridBits = dp.DiscreteLaplace, dp.L1(unit), 0, ScoreGridBits
		scale = ceilGrid(part.Quo(big.NewRat(unit, 1), part), ScoreGridBits)
		if scale.Cmp(power(samplerBits-ScoreGridBits)) > 0 {
			return Event{}, errShareTooSmall
		}
	} else {
		target := part.Quo(big.NewRat(unit*unit, 2), part)
		e.GridBits = l.gridFor([]*big.Rat{target})
		if scale, err = roundShort(target, e.GridBits); err != nil {
			return Event{}, err
		}
	}
	e.Scales = slices.Repeat([]*big.Rat{scale}, n)
	return e, nil
}

// StandIn returns an event that represents a release of the given kind of noise in a plan. Only the share and the largest
// number of coordinates are known, because its marginals follow from earlier releases. Its loss is at most the share, as
// the real event's will be.
func (l *Ledger) StandIn(kind dp.Kind, coordinates int64, share dp.Share) (Event, error) {
	e, err := l.Measure(Equal(1, coordinates), share)
	if err == nil && e.Kind != kind {
		return Event{}, errNotPure
	}
	return e, err
}

var errNotPure = errors.New("accountant: Gaussian noise has no pure loss; use a delta above 0")

// OnGrid returns the squared sensitivity that is charged on the grid 2^-bits, in counts², a multiple of 2^-40 rounded
// up:
//
//	(√Δ² + r)²,   r = axes·√cells/2 grid steps
//
// What is released is C(x + Z): x the counts on the grid, Z the noise and C = (Πk)·P the integer centring.
// Neighbours' counts differ by d. For every integer table v with Cv = Cd, C(x + d + Z) = C(x + v + Z), so
// that ‖v‖² may be charged for ‖d‖². With A_i the mean along axis i, P = Π(1 − A_i), and
//
//	d − Pd = Σ_i f_i,   f_i = A_i·Π_{l<i}(1 − A_l)·d
//
// where f_i is constant along axis i and so is f_i rounded to whole steps, which C therefore maps to 0.
// v = d − Σ round(f_i) is an integer table with Cv = Cd that differs from Pd by at most axes/2 in each cell.
func (c Centred) OnGrid(bits int) *big.Rat {
	r := new(big.Rat).Mul(big.NewRat(int64(c.Axes*c.Axes)*c.Cells, 4), power(-2*bits))
	cross := new(big.Rat).Mul(r, c.L2Squared)
	sum := times(rootCeil(cross, quantumBits), 2)
	return ceilGrid(sum.Add(sum, r).Add(sum, c.L2Squared), capacityBits)
}

// rootCeil returns a multiple of 2^-bits that is at least √x and less than two steps above it.
func rootCeil(x *big.Rat, bits int) *big.Rat {
	square := ceilGrid(x, 2*bits)
	n := new(big.Int).Lsh(square.Num(), uint(2*bits))
	n.Quo(n, square.Denom()) // exact
	root := new(big.Int).Sqrt(n)
	if new(big.Int).Mul(root, root).Cmp(n) < 0 {
		root.Add(root, big.NewInt(1))
	}
	return grid(root, bits)
}

// relativePrecision returns c·Precision of each marginal as a part of the largest, at least 2^-36.
func relativePrecision(marginals []Centred) []*big.Rat {
	if len(marginals) == 0 {
		panic("accountant: residuals of no marginals")
	}
	relative := make([]*big.Rat, len(marginals))
	largest := new(big.Rat)
	for i, m := range marginals {
		if m.Left.Sign() <= 0 || m.L2Squared.Sign() <= 0 || m.Axes < 0 || m.Cells < 1 {
			panic("accountant: residual of a marginal without an axis to centre along")
		}
		Marginals{Precision: []float64{m.Precision}}.mustBeUsable()
		relative[i] = ratOf(m.Precision)
		if relative[i].Mul(relative[i], m.Left).Cmp(largest) > 0 {
			largest = relative[i]
		}
	}
	unit := new(big.Rat).Inv(largest)
	for i, r := range relative {
		relative[i] = ceilGrid(new(big.Rat).Mul(r, unit), 2*precisionBits) // short sums; off by 2^-30 at most
		if least := power(-precisionBits); relative[i].Cmp(least) < 0 {
			relative[i] = least
		}
	}
	return relative
}

// centredNoise returns the σ² of each marginal for a total loss: σ² = Δ²/(2·part) for parts of the total, rounded
// down, in the ratio of Δ²·relative.
func centredNoise(l2Squared, relative []*big.Rat, total *big.Rat) ([]*big.Rat, error) {
	weights, sum := make([]*big.Rat, len(relative)), new(big.Rat)
	for i, r := range relative {
		weights[i] = new(big.Rat).Mul(r, l2Squared[i])
		sum.Add(sum, weights[i])
	}
	unit := new(big.Rat).Quo(total, sum)
	noise := make([]*big.Rat, len(relative))
	for i, w := range weights {
		part := floorGrid(w.Mul(w, unit), quantumBits)
		if part.Sign() == 0 {
			return nil, errShareTooSmall
		}
		noise[i] = new(big.Rat).Quo(l2Squared[i], part.Add(part, part))
	}
	return noise, nil
}

// roundShort rounds σ² up to a number of about 16 bits on the grid 2^-bits with σ of at least 2^30 steps: it
// costs at most 2^-16 of a share.
func roundShort(variance *big.Rat, bits int) (*big.Rat, error) {
	if variance.Cmp(power(2*largestBits)) > 0 {
		return nil, errShareTooSmall
	}
	return roundFine(ceilGrid(variance, bitsFor(variance)), bits), nil
}
