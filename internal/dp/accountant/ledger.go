package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp"
)

const (
	// leastDelta: below it, exp underflows, and such a δ cannot be told from 0.
	leastDelta = 1e-300
	// largestGDPEpsilon: above it, the float64 evaluation of the GDP curve is not known to stay within
	// its outward rounding.
	largestGDPEpsilon = 200
)

// Params are the parameters of a ledger, fixed when it is opened. All of them are public.
type Params struct {
	Neighbouring dp.Neighbouring
	Accounting   dp.Accounting
	Epsilon      dp.Epsilon // above 0; at most 200 under GaussianOnly
	Delta        dp.Delta   // 0 under Pure only, else at least 1e-300
	// Coordinates is the largest number of noisy numbers that will be drawn. Only GaussianOnly needs it, and
	// subtracts the cost of discrete noise for that many from Delta.
	Coordinates int64
	// ValuesDelta is the part of Delta that values above a threshold may spend; the rest bounds the losses. 0: there are
	// none of those.
	ValuesDelta dp.Delta `json:",omitempty"`
	// WeightBits is k if the weights of a unit's records are multiples of 2^-k that add up to 1: counts are multiples of
	// 2^-k then, and the noise of tables has a grid at least as fine. 0: a unit is one record. At most 16.
	WeightBits int
}

// mostWeightBits: scores, on the grid 2^-20, hold all weights.
const mostWeightBits = 16

// Validate returns all faults at once.
func (p Params) Validate() error {
	faults := []error{p.Epsilon.Validate(), p.Delta.Validate()}
	if p.Neighbouring > dp.Replace || p.Accounting > dp.GaussianOnly {
		faults = append(faults, errors.New("accountant: unknown neighbouring relation or kind of accounting"))
	}
	if p.Accounting != dp.Pure && p.Delta < leastDelta {
		faults = append(faults, fmt.Errorf("accountant: delta %g: want at least %g, or pure accounting for delta 0",
			float64(p.Delta), leastDelta))
	}
	if p.Accounting == dp.GaussianOnly && p.Epsilon > largestGDPEpsilon {
		faults = append(faults, fmt.Errorf("accountant: epsilon %g: GDP accounting wants at most %g; use zCDP",
			float64(p.Epsilon), float64(largestGDPEpsilon)))
	}
	if p.WeightBits < 0 || p.WeightBits > mostWeightBits {
		faults = append(faults, fmt.Errorf("accountant: weights in steps of 2^-%d: want 0 to %d bits", p.WeightBits, mostWeightBits))
	}
	if p.ValuesDelta != 0 && (p.ValuesDelta.Validate() != nil || p.Accounting == dp.Pure || p.lossDelta() < leastDelta) {
		faults = append(faults, fmt.Errorf("accountant: a delta of %g for values above a threshold: want at least 0, and less than the whole delta, which is %g",
			float64(p.ValuesDelta), float64(p.Delta)))
	}
	if p.Accounting == dp.GaussianOnly && p.Coordinates < 1 {
		faults = append(faults, fmt.Errorf("accountant: %d coordinates: GDP accounting wants at least 1", p.Coordinates))
	}
	return errors.Join(faults...)
}

// ErrExhausted is the refusal of a charge that exceeds what remains. Nothing was charged.
type ErrExhausted struct {
	Stage                string
	Unit                 dp.Accounting
	Requested, Remaining *big.Rat // exact
}

// Difference returns by how much the charge exceeds what remains.
func (e ErrExhausted) Difference() *big.Rat { return new(big.Rat).Sub(e.Requested, e.Remaining) }

// Error states how much was requested, how much remains and how much is missing.
func (e ErrExhausted) Error() string {
	return fmt.Sprintf("accountant: stage %q needs %g of the %v budget, %g remains: %g too much; lower its share or its rounds",
		e.Stage, floatUp(e.Requested), e.Unit, floatDown(e.Remaining), floatUp(e.Difference()))
}

// Ledger holds the privacy budget of one run and everything charged to it. It is for one goroutine.
type Ledger struct {
	params      Params
	capacity    *big.Rat
	open        *big.Rat // the capacity less what was charged before it was opened: shares are parts of it
	prior       int      // events charged before
	after       *Prior   // by whom; nil: it is not known
	numbers     int64    // noisy numbers that the run after it may draw
	spent       *big.Rat
	valuesSpent *big.Rat // of ValuesDelta
	coordinates int64    // drawn so far
	events      []Event
	selections  map[asked]Event // calibrated so far

	allocated      map[string]*big.Rat // what is left of each stage's share; nil if none has one
	allocatedTotal *big.Rat            // all shares
}

// NewLedger opens a ledger. Its capacity, in the unit of the kind of accounting, is rounded down to a
// multiple of 2^-40:
//
//	ZCDP          the largest rho with δ(rho, ε) ≤ δ
//	Pure          ε
//	GaussianOnly  μ²/2 for the largest μ with δ(μ, ε) ≤ δ − (1+exp(ε))·Coordinates·0.021/2^60
//
// It fails on invalid parameters and if the capacity is 0.
func NewLedger(p Params) (*Ledger, error) { return NewLedgerAfter(nil, p) }

// NewLedgerAfter opens a ledger to which events of earlier releases of the same units are charged already, in its ε and δ.
// Shares are parts of what they leave. For the promise to hold over all releases, parameters have to equal the parameters of the first
// ledger but for WeightBits: chosen before anything was released. It fails as NewLedger does, and if nothing is left.
func NewLedgerAfter(prior []Event, p Params) (*Ledger, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	capacity := new(big.Rat)
	switch p.Accounting {
	case dp.ZCDP:
		capacity = RhoFloor(p.Epsilon, p.lossDelta())
	case dp.Pure:
		capacity = floorGrid(ratOf(float64(p.Epsilon)), capacityBits)
	case dp.GaussianOnly:
		delta := deltaLeft(p)
		if delta < leastDelta {
			return nil, fmt.Errorf("accountant: delta %g does not pay for %d coordinates of discrete noise under GDP; use zCDP",
				float64(p.Delta), p.Coordinates)
		}
		mu := ratOf(MuFloor(p.Epsilon, delta))
		capacity = floorGrid(mu.Mul(mu, mu).Quo(mu, big.NewRat(2, 1)), capacityBits)
	}
	if capacity.Sign() == 0 && p.Epsilon > 1 { // float64 does not hold the conversion
		return nil, fmt.Errorf("accountant: epsilon %g is too large to compute with; lower it: above 20 or so it promises next to nothing",
			float64(p.Epsilon))
	}
	if capacity.Sign() == 0 {
		return nil, fmt.Errorf("accountant: epsilon %g, delta %g leave no %v budget; raise them",
			float64(p.Epsilon), float64(p.Delta), p.Accounting)
	}
	l := &Ledger{params: p, capacity: capacity, open: capacity, spent: new(big.Rat), valuesSpent: new(big.Rat)}
	for _, e := range prior {
		if err := l.Charge(e); err != nil {
			return nil, fmt.Errorf("accountant: what was released before does not fit: %w", err)
		}
	}
	if l.open, l.prior = l.Remaining(), len(prior); l.open.Sign() == 0 {
		return nil, errors.New("accountant: what was released before leaves nothing; raise epsilon or delta")
	}
	return l, nil
}

// Charge enters an event, Count times its loss. It must come before the draw; there is no refund. It fails, charging
// nothing, with ErrExhausted if too little remains (of the stage's share, see Allocate), and if the event has another
// relation or a kind that the ledger does not admit. It panics on an incomplete event.
func (l *Ledger) Charge(e Event) error {
	if e.Stage == "" {
		panic("accountant: event without a stage")
	}
	loss, err := e.Loss(l.params.Accounting)
	if err != nil {
		return err
	}
	if e.Neighbouring != l.params.Neighbouring {
		return fmt.Errorf("accountant: an event for %v cannot be charged to a ledger for %v", e.Neighbouring, l.params.Neighbouring)
	}
	if err := l.admitCoordinates(e); err != nil {
		return err
	}
	values, err := l.admitValues(e)
	if err != nil {
		return err
	}
	total := times(loss, int64(e.Count))
	if remaining := l.left(e.Stage); total.Cmp(remaining) > 0 {
		return ErrExhausted{Stage: e.Stage, Unit: l.params.Accounting, Requested: total, Remaining: remaining}
	}
	l.spent.Add(l.spent, total)
	l.valuesSpent = values
	if part, ok := l.allocated[e.Stage]; ok {
		part.Sub(part, total)
	}
	l.coordinates += e.Coordinates * int64(e.Count)
	l.events = append(l.events, e)
	return nil
}

// admitCoordinates refuses to draw more noisy numbers than a GDP ledger has paid for.
func (l *Ledger) admitCoordinates(e Event) error {
	left := l.params.Coordinates - l.coordinates
	if l.params.Accounting != dp.GaussianOnly || e.Coordinates <= left/int64(e.Count) {
		return nil
	}
	return fmt.Errorf("accountant: stage %q draws %d × %d noisy numbers, %d of %d reserved ones are left",
		e.Stage, e.Count, e.Coordinates, left, l.params.Coordinates)
}

// admitValues returns what the event makes of the part of δ that is spent on values above a threshold, and refuses more
// than there is.
func (l *Ledger) admitValues(e Event) (*big.Rat, error) {
	if e.Delta == nil {
		return l.valuesSpent, nil
	}
	sum := times(e.Delta, int64(e.Count))
	if sum.Add(sum, l.valuesSpent); sum.Cmp(ratOf(float64(l.params.ValuesDelta))) > 0 {
		return nil, fmt.Errorf("accountant: stage %q would take more out of delta than the %g reserved for values above a threshold", e.Stage, float64(l.params.ValuesDelta))
	}
	return sum, nil
}

// Params returns the parameters of the ledger.
func (l *Ledger) Params() Params { return l.params }

// Budget returns the relation, the kind and the capacity that was left when the ledger was opened, rounded down to a float64.
func (l *Ledger) Budget() dp.Budget {
	return dp.Budget{
		Neighbouring: l.params.Neighbouring,
		Accounting:   l.params.Accounting,
		Capacity:     floatDown(l.open),
	}
}

// Capacity returns the whole budget, exact, in the unit of the ledger's kind: rho, ε or μ²/2.
func (l *Ledger) Capacity() *big.Rat { return new(big.Rat).Set(l.capacity) }

// Spent returns the sum of all charges, exact.
func (l *Ledger) Spent() *big.Rat { return new(big.Rat).Set(l.spent) }

// Remaining returns capacity less charges, exact.
func (l *Ledger) Remaining() *big.Rat { return new(big.Rat).Sub(l.capacity, l.spent) }

// Events returns everything charged, in order.
func (l *Ledger) Events() []Event { return slices.Clone(l.events) }

// deltaLeft returns δ less the cost of discrete noise, rounded down.
func deltaLeft(p Params) dp.Delta {
	return dp.Delta(math.Nextafter(float64(p.lossDelta())-discreteDelta(float64(p.Epsilon), p.Coordinates), math.Inf(-1)))
}

// lossDelta returns δ less what is reserved for values above a threshold, rounded down.
func (p Params) lossDelta() dp.Delta {
	return deltaBut(p.Delta, p.ValuesDelta)
}

// deltaBut returns δ less a part of it, rounded down.
func deltaBut(delta, part dp.Delta) dp.Delta {
	if part == 0 {
		return delta
	}
	return dp.Delta(math.Nextafter(float64(delta)-float64(part), math.Inf(-1)))
}
