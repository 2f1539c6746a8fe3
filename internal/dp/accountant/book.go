package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// Run is an upper bound on the loss of one run, whatever it releases; all of it is fixed before the run.
type Run struct {
	Neighbouring dp.Neighbouring
	Accounting   dp.Accounting
	Epsilon      dp.Epsilon // promised by the run
	Delta        dp.Delta
	Loss         *big.Rat // the whole capacity of its ledger: rho, ε or μ²/2
	Coordinates  int64    // noisy numbers it may draw; 0 unless it is GaussianOnly
	ValuesDelta  dp.Delta // the part of Delta that values above a threshold may spend
}

// Run returns the upper bound for a run within the ledger: its capacity, not what was charged, which may depend on
// what was released. Of a ledger that goes on with the budget of a Prior it bounds the run alone.
func (l *Ledger) Run() Run {
	p := l.params
	if l.after != nil {
		_, rest, _ := l.after.Runs(l.numbers) // the ledger was opened with the same parameters
		return rest
	}
	r := Run{Neighbouring: p.Neighbouring, Accounting: p.Accounting, Epsilon: p.Epsilon, Delta: p.Delta, Loss: l.Capacity(), ValuesDelta: p.ValuesDelta}
	if p.Accounting == dp.GaussianOnly {
		r.Coordinates = p.Coordinates
	}
	return r
}

// Book holds a privacy budget for several runs on the same privacy units, and how much of it is charged.
//
// If every run charged to it stays within its own ledger, all of them together are (ε, δ)-differentially private,
// even if earlier releases decide which run comes next: the losses of all draws of all runs add up to at most the
// book's capacity, which is fixed, and sums of rho, of ε and of μ² are stopping rules for draws chosen in any way
// (see the package comment). The kind of accounting is fixed as well: choosing the better one afterwards would not be
// such a rule.
//
//	ZCDP          admits every run: a Gaussian one at its μ²/2, which is its rho too, a pure one at ε·tanh(ε/2)
//	Pure          admits pure runs
//	GaussianOnly  admits runs of that kind, and as many noisy numbers as a hundredth of δ pays for; what runs spend of
//	              δ on values above a threshold is paid from that hundredth too
//
// In addition, a first run that promises no more than the book's ε and δ may use the whole book, whatever its kind of
// accounting: it is then the only run.
type Book struct {
	params Params
	ledger *Ledger
	runs   int
	values dp.Delta // spent on values above a threshold, rounded up
}

// coordinatesShare is the part of δ that covers discrete noise in a GaussianOnly book.
const coordinatesShare = 100

// fewCoordinates is the smallest useful number of noisy numbers in a GaussianOnly book.
const fewCoordinates = 1 << 20

// NewBook opens the book of an (ε, δ) for a relation. It is Pure for a δ of 0; otherwise GaussianOnly, or ZCDP if
// mixed asks for runs of all kinds or a hundredth of δ does not cover a million noisy numbers.
func NewBook(n dp.Neighbouring, epsilon dp.Epsilon, delta dp.Delta, mixed bool) (*Book, error) {
	p := Params{Neighbouring: n, Epsilon: epsilon, Delta: delta, Accounting: dp.ZCDP}
	if delta == 0 {
		p.Accounting = dp.Pure
	}
	if numbers := float64(delta) / coordinatesShare / discreteDelta(float64(epsilon), 1); !mixed && delta > 0 && numbers >= fewCoordinates && epsilon <= largestGDPEpsilon {
		p.Accounting, p.Coordinates = dp.GaussianOnly, int64(math.Min(numbers, 1<<50))
	}
	l, err := NewLedger(p)
	if err != nil {
		return nil, err
	}
	return &Book{params: p, ledger: l}, nil
}

// Params returns the relation, kind, ε, δ and number of noisy numbers of the book.
func (b *Book) Params() Params { return b.params }

// Runs returns the number of charged runs.
func (b *Book) Runs() int { return b.runs }

// Charge enters a run, before its first draw. It fails, charging nothing, if the run has another relation or a kind
// that the book does not admit, and with ErrExhausted if too little remains.
func (b *Book) Charge(r Run) error {
	loss, err := b.lossOf(r)
	if err == nil {
		err = b.admit(r, loss)
	}
	if err != nil && b.runs == 0 && r.ValuesDelta == 0 && r.Neighbouring == b.params.Neighbouring && r.Epsilon <= b.params.Epsilon && r.Delta <= b.params.Delta {
		loss, err = b.ledger.Capacity(), nil
	}
	if err != nil {
		return err
	}
	b.ledger.spent.Add(b.ledger.spent, loss)
	b.ledger.coordinates += r.Coordinates + b.covered(r.ValuesDelta)
	b.values = deltaSum(b.values, r.ValuesDelta)
	b.runs++
	return nil
}

// lossOf returns the loss of a run in the unit of the book.
func (b *Book) lossOf(r Run) (*big.Rat, error) {
	switch kind := b.params.Accounting; {
	case r.Neighbouring != b.params.Neighbouring:
		return nil, fmt.Errorf("accountant: a run for %v cannot be charged to a book for %v", r.Neighbouring, b.params.Neighbouring)
	case r.Loss == nil || r.Loss.Sign() <= 0:
		return nil, errors.New("accountant: the run has no loss")
	case kind == r.Accounting || kind == dp.ZCDP && r.Accounting == dp.GaussianOnly:
		return r.Loss, nil
	case kind == dp.ZCDP:
		return pureRho(r.Loss), nil
	case kind == dp.Pure:
		return nil, errors.New("accountant: a pure book admits runs with delta 0 only")
	}
	return nil, fmt.Errorf("accountant: a GDP book admits runs of Gaussian noise at moderate epsilon only, and this one is of %v accounting", r.Accounting)
}

func (b *Book) admit(r Run, loss *big.Rat) error {
	if remaining := b.ledger.Remaining(); loss.Cmp(remaining) > 0 {
		return ErrExhausted{Stage: "run", Unit: b.params.Accounting, Requested: loss, Remaining: remaining}
	}
	left := b.params.Coordinates - b.ledger.coordinates
	switch {
	case b.params.Accounting == dp.GaussianOnly && r.Coordinates > left:
		return fmt.Errorf("accountant: the run draws up to %d noisy numbers, and the book has room for %d more", r.Coordinates, max(0, left))
	case r.ValuesDelta > 0 && b.params.Accounting != dp.GaussianOnly:
		return errors.New("accountant: values above a threshold spend delta, and a book of all kinds of noise keeps none back")
	case r.ValuesDelta > 0 && b.covered(r.ValuesDelta) > left-r.Coordinates:
		return fmt.Errorf("accountant: values above a threshold may spend %.4g of delta, and the book has %.4g left for that", float64(r.ValuesDelta), discreteDelta(float64(b.params.Epsilon), max(0, left-r.Coordinates)))
	}
	return nil
}

// covered is the number of noisy numbers that cost as much of δ, at the ε of the book, rounded up.
func (b *Book) covered(delta dp.Delta) int64 {
	if delta == 0 || b.params.Accounting != dp.GaussianOnly {
		return 0
	}
	return int64(math.Min(1<<60, math.Ceil(float64(delta)/discreteDelta(float64(b.params.Epsilon), 1)*(1+0x1p-40))))
}

// deltaSum adds, rounded up.
func deltaSum(a, b dp.Delta) dp.Delta {
	if a == 0 || b == 0 {
		return a + b
	}
	return dp.Delta(math.Nextafter(float64(a)+float64(b), 1))
}

// SpentEpsilon returns an ε, rounded up, that all charged runs together satisfy at the book's δ.
func (b *Book) SpentEpsilon() dp.Epsilon {
	spent, p := b.ledger.spent, b.params
	switch {
	case spent.Sign() == 0:
		return 0
	case spent.Cmp(b.ledger.capacity) == 0:
		return p.Epsilon
	case p.Accounting == dp.Pure:
		return dp.Epsilon(floatUp(spent))
	case p.Accounting == dp.ZCDP:
		return min(p.Epsilon, dp.Epsilon(rhoCurve(floatUp(spent)).epsilonCeil(p.Delta)))
	}
	return gdpEpsilonCeil(muOf(spent), p.Coordinates, deltaBut(p.Delta, b.values), p.Epsilon)
}

// LargestEpsilon returns the largest multiple of 1/1000 of the book's ε for which one more run fits; 0 if there is
// none. ledgerOf opens the ledger of a run of an ε.
func (b *Book) LargestEpsilon(ledgerOf func(dp.Epsilon) (*Ledger, error)) dp.Epsilon {
	const steps = 1000
	at := func(n int64) dp.Epsilon { return b.params.Epsilon * dp.Epsilon(n) / steps }
	n := bisect.Int(0, steps+1, func(n int64) bool {
		l, err := ledgerOf(at(n))
		return err == nil && b.Refusal(l.Run()) != nil
	})
	if _, err := ledgerOf(at(n - 1)); err != nil { // too small for any noise, or 0
		return 0
	}
	return at(n - 1)
}

// Refusal returns the reason why a run would be refused; nil if it fits.
func (b *Book) Refusal(r Run) error {
	try := &Book{params: b.params, runs: b.runs, values: b.values, ledger: &Ledger{
		params: b.ledger.params, capacity: b.ledger.capacity, spent: b.ledger.Spent(), coordinates: b.ledger.coordinates,
	}}
	return try.Charge(r)
}
