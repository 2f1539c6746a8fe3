package pipelines

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/request/plan"
)

// A run of a data set that has a budget book is charged to it before its pipeline begins, at an upper bound of its
// loss, under a key that its staging holds: whoever finds the staging resumes the run with its charge; without the
// staging it is another run. The charge is returned only if the run's mark that noise is drawn is missing and can
// never be written.

// checkLedger checks that the budget book is the book of this request's data set. Whether the run fits is checked once it
// is known not to be charged already; for a plan it is checked at once.
func checkLedger(ctx context.Context, r *Request, f *Faults) {
	if r.Ledger == "" {
		return
	}
	b, err := openLedger(ctx, r.Ledger)
	if err != nil {
		*f = append(*f, err...)
		return
	}
	r.ledger = b
	use := bookUse{[][2]string{{"--input", r.Input}, {"--people_input", r.People}}, r.Neighbouring, b.Terms.PrivacyID, "the domain file"}
	if r.File != nil {
		use.unit = r.File.Domain.PrivacyID
	}
	use.check(b, f)
	for _, e := range r.before() { // the run charges them first
		if b.Holding(e.key()) {
			continue
		}
		if err := b.Sum.Charge(e.run); err != nil {
			*f = append(*f, faultOf(b.Full(0, err, nil)))
		}
	}
}

// bookUse is what a request does with a budget book.
type bookUse struct {
	inputs       [][2]string // flags and tables
	neighbouring dp.Neighbouring
	unit         string // the privacy ID; empty: records
	says         string // what says so
}

// check refuses a book of other tables, another relation or another unit. A table of a caller's memory has no name to compare.
func (u bookUse) check(b *book.Book, f *Faults) {
	for _, in := range u.inputs {
		if at := absolute(in[1]); at != "" && !Workspace(filepath.Dir(at)).Is() && !slices.Contains(b.Inputs(), at) {
			f.add("--ledger", fmt.Sprintf("%s is the book of %s, whose table is %s, and %s names %s", b.Dir, b.Terms.Name, strings.Join(b.Inputs(), " or "), in[0], at),
				fmt.Sprintf("name the book of that table; if it is the same people's, `dapple ledger %s --input=%s` says so", b.Dir, in[1]))
		}
	}
	for _, fault := range b.Check(u.neighbouring, u.unit, u.says) {
		*f = append(*f, faultOf(fault))
	}
}

// account charges what the request costs, after what finding its domain within the same budget has cost.
func (r *Request) account() (*accountant.Ledger, error) {
	l, _, err := plan.Charge(r.Problem, r.Chosen, r.prior())
	return l, err
}

// book returns the section on the budget book of a statement; nil without a book.
func (r *Request) book() *report.Book {
	if r.ledger == nil {
		return nil
	}
	t := r.ledger.Terms
	return &report.Book{DataSet: t.Name, Epsilon: float64(t.Epsilon), Delta: float64(t.Delta)}
}

// checkLeft refuses a plan for more than the budget book has left.
func (r *Request) checkLeft(f *Faults) {
	if r.ledger == nil || len(*f) > 0 {
		return
	}
	if l, err := r.account(); err == nil {
		if err := r.ledger.Sum.Refusal(l.Run()); err != nil {
			*f = append(*f, r.refused(r.ledger, err))
		}
	}
}

// left describes what a plan would leave of the budget book.
func (r *Request) left() []string {
	if r.ledger == nil {
		return nil
	}
	l, err := r.account()
	if err != nil || r.ledger.Sum.Charge(l.Run()) != nil {
		return nil // checked before
	}
	left := "nothing more"
	if e := r.ledger.Largest(); e > 0 {
		left = fmt.Sprintf("one more run of ε = %g", book.RoundDown(e))
	}
	return []string{fmt.Sprintf("ledger    %s, the book of %s: this run fits, and with it ε = %.4g of %g is spent; then there is room for %s",
		r.Ledger, r.ledger.Terms.Name, float64(r.ledger.Sum.SpentEpsilon()), float64(r.ledger.Terms.Epsilon), left)}
}

// refused says that a run does not fit, and names the ε that would.
func (r *Request) refused(b *book.Book, err error) Fault {
	if r.found != nil {
		return faultOf(b.Full(0, err, nil))
	}
	l, chargeErr := r.account()
	return faultOf(b.Full(r.Epsilon, err, func(e dp.Epsilon) (*accountant.Ledger, error) {
		if chargeErr != nil {
			return nil, chargeErr
		}
		p := l.Params()
		p.Epsilon, p.Accounting = e, r.Chosen.Accounting(e, r.Delta)
		return accountant.NewLedger(p.Preferred())
	}))
}

// charge enters a run in the budget book, if the request has one, behind the findings that its domain comes from, and sets the
// entry that its statement names. Faults mean that the run does not fit; after book.Paid another launch of it is charged; after
// another error it is unknown whether it was charged.
func (r *Request) charge(ctx context.Context, n run.Note, stated *report.Book) (notes []string, err error) {
	if r.Ledger == "" {
		return nil, nil
	}
	b, faults := openLedger(ctx, r.Ledger)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	l, err := r.account()
	if err != nil {
		return nil, err
	}
	for _, e := range r.before() {
		note, err := e.charge(ctx, b, n)
		if err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	entry, err := b.Charge(ctx, n.Payer(), l.Run())
	if refusal := (*book.Refused)(nil); errors.As(err, &refusal) {
		return nil, Faults{r.refused(b, refusal.Err)}
	}
	if err != nil {
		return nil, err
	}
	stated.Entry, stated.SHA256 = entry.Number, entry.SHA256
	return append(notes, fmt.Sprintf("%s, the book of %s: this run is charged; spent is %s", r.Ledger, b.Terms.Name, b.Spent())), nil
}

// paid returns book.Paid if another launch of the request's run is charged, before anything is prepared for this one.
func (c Config) paid(ctx context.Context) error {
	if c.Ledger == "" || c.RunID == "" || c.Again {
		return nil
	}
	b, faults := openLedger(ctx, c.Ledger)
	if err := faults.Err(); err != nil {
		return err
	}
	return b.Paid(book.Payer{Once: c.once(c.RunID)})
}
