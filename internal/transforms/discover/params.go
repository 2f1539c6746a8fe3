package discover

import (
	"errors"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Column is a column of a table by what is public of it.
type Column struct {
	Name    string
	Untyped bool        // a column of text, whose type is to be found
	Type    domain.Type // else
	Scale   int         // of a NUMERIC

	// The rest of what is public is for columns that belong to a field of a struct, which has to hold what is found.

	Required    bool   `json:",omitempty"` // no value can be missing, as in a field that is no pointer: NULL is not found
	Least, Most string `json:",omitempty"` // of a number: what the field holds, such as 0 and 255 of a uint8

	// The rest is for columns with parts that a domain file leaves to be found.

	Values   bool   // of a number: its values are to be found, and not its range; a STRING has values in any case
	Prefixes []int  // of values: the numbers of characters at which they may be cut, ascending
	Min, Max string // ends of the range that are declared
	Step     string // resolution of a number that is declared
	Unit     int64  // resolution of a time that is declared, in native units
}

// attribute is the column as a reader of tables has it.
func (c *Column) attribute() domain.Attribute {
	return domain.Attribute{Name: c.Name, Type: c.Type, Scale: c.Scale}
}

// hasValues reports whether the values of a column whose type is public are to be found.
func (c *Column) hasValues() bool { return !c.Untyped && (c.Values || c.Type == domain.String) }

// Rows is what is to be found of the rows of people.
type Rows int

// What can be found of the rows of people.
const (
	AllOfRows Rows = iota // how many they have at most, and which columns stay the same
	MostRows              // how many they have at most
	NoRows
)

// Params configures Discover. Columns, Epsilon, Delta and Share are required.
type Params struct {
	Columns      []Column // without the privacy ID
	PrivacyID    string   // empty: every record is a unit
	Rows         Rows     // of people
	Epsilon      dp.Epsilon
	Delta        dp.Delta // above 0: values are released at the price of it
	Neighbouring dp.Neighbouring
	// Share is the part of the budget, and of δ, that the discovery may spend. What it leaves is for releases after it.
	Share dp.Share
	// Mixed makes room for releases by methods that select, which draw other noise than Gaussian. All releases of the budget
	// have one accounting, which is chosen before the first.
	Mixed bool

	Shards int // parallel parts of people and of values; default 64

	// Spill keeps records and values on their way in a file, in place of the runner, which may hold them several times. It is for
	// pipelines whose workers are all in the process that made it.
	Spill *private.Spill `json:"-"`

	// Store keeps what was found, and a job that is started again adopts it: see synth.Params. RunID is required with one.
	Store synth.StoreRef
	RunID string

	// Book is a budget book: see synth.Params. The discovery is charged before its noise is drawn, under an ID of its own, which
	// releases with its Prior do not charge again. RunID is required with one.
	Book string `json:",omitempty"`

	// ID names the noise, in budget books and in the charge of a domain file: random, and of one discovery alone. Default: one
	// that is drawn with the noise.
	ID string `json:",omitempty"`
}

// DefaultShare is the part of a budget that finds so many columns, if nothing else is asked for: a tenth of it up to 20 columns. In
// wider tables noise hides columns as a whole, where it makes the run's errors a little larger: of 60 columns it is three tenths.
// The number of columns is public.
func DefaultShare(columns int) dp.Share { return dp.ShareOf(int64(min(max(20, columns), 60)), 200) }

func (p Params) withDefaults() Params {
	if p.Shards == 0 {
		p.Shards = 64
	}
	return p
}

// The part of δ that covers discrete noise in place of continuous noise: as in budget books, and at most.
const coordinatesShare, mostCoordinatesShare = 100, 8

// runCoordinates is how many noisy numbers a run may draw after the discovery has found the columns, and what stands for their order.
func (p Params) runCoordinates() float64 { return float64(len(p.Columns)+3) * mostValues }

// ledger opens the ledger of the discovery and of what comes after it.
func (p Params) ledger() (*accountant.Ledger, error) {
	q := accountant.Params{Neighbouring: p.Neighbouring, Epsilon: p.Epsilon, Delta: p.Delta}
	q.ValuesDelta = dp.Delta(float64(p.Delta) * p.valuesShare().Float() * (1 - 0x1p-40))
	if p.whole() { // nothing comes after it
		q.Accounting, q.Coordinates = dp.GaussianOnly, p.coordinates()
		return accountant.NewLedger(q.Preferred())
	}
	each, delta := (1+math.Exp(float64(p.Epsilon)))*math.Ldexp(0.021, -60), float64(p.Delta)
	if n := max(p.runCoordinates(), delta/coordinatesShare/each); !p.Mixed && n*each <= delta/mostCoordinatesShare {
		q.Accounting, q.Coordinates = dp.GaussianOnly, int64(math.Min(n, 1<<50))
		q = q.Preferred()
	}
	return accountant.NewLedger(q)
}

// valuesShare is the part of δ for values: the discovery's, or little if nothing
// comes after it: a budget book pays for that part from a hundredth of its own δ, and the threshold grows with its logarithm.
func (p Params) valuesShare() dp.Share {
	if p.whole() {
		return dp.ShareOf(1, 16)
	}
	return p.Share
}

// whole reports whether the discovery may spend all of its budget.
func (p Params) whole() bool { return p.Share.Num == p.Share.Den }

// coordinates bounds the noisy numbers that a discovery draws.
func (p Params) coordinates() (n int64) {
	for i := range p.Columns {
		n += int64(2 * (1 + len(p.Columns[i].cuts())))
	}
	for _, size := range sizes(len(p.Columns)) {
		n += int64(size)
	}
	return n
}

// Prior is what a discovery may spend of its budget, and what it leaves for a run, before it has spent any.
func (p Params) Prior() (accountant.Prior, error) {
	l, err := p.ledger()
	if err != nil {
		return accountant.Prior{}, err
	}
	return accountant.Prior{Params: l.Params(), Share: p.Share, Coordinates: p.coordinates()}, nil
}

// Validate lists all faults of p.
func (p Params) Validate() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf("discover: "+format, args...)) }
	errs = append(errs, p.Epsilon.Validate(), p.Delta.Validate())
	if p.Delta == 0 {
		add("a delta of 0: values are found at the price of delta; take one far below 1/(number of people)")
	}
	if len(p.Columns) == 0 && (p.Rows != MostRows || p.PrivacyID == "") {
		add("no columns; name the columns of the table but the privacy ID")
	}
	if p.Share.Num <= 0 || p.Share.Den <= 0 || p.Share.Num > p.Share.Den {
		add("a share of %d/%d of the budget: want more than 0, and at most 1", p.Share.Num, p.Share.Den)
	}
	if p.Shards < 0 || p.Shards > 1<<16 {
		add("%d shards: want 1 to 65536", p.Shards)
	}
	if (p.Store.Kind != "" || p.Book != "") && p.RunID == "" {
		add("RunID is required with a Store or a Book, where it names what was found")
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err := p.ledger()
	return err
}

// firstCut is the count at most which values are dropped before the draw: half the least standard deviation that noise on
// counts of values can have, which raises the threshold by a tenth at most, and keeps memory and draws small.
func (p Params) firstCut() (int64, error) {
	l, err := p.ledger()
	if err != nil {
		return 0, err
	}
	e, err := l.Values(accountant.Values{Columns: 1, Delta: dp.ShareOf(1, 1)}, share(p.Share, 1, 1))
	if err != nil {
		return 0, err
	}
	return int64(math.Sqrt(e.Variance(0)) / 2), nil
}

// share returns a part of a share.
func share(s dp.Share, num, den int64) dp.Share { return dp.ShareOf(s.Num*num, s.Den*den) }
