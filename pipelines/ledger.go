package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// A run of a data set that has a budget book is charged to it before its pipeline begins, at an upper bound of its
// loss, under a key that its staging holds: whoever finds the staging resumes the run with its charge; without the
// staging it is another run. The charge is returned only if the run's mark that noise is drawn is missing and can
// never be written.

// checkLedger checks that the budget book is that of this request's data set. Whether the run fits is checked once it
// is known not to be charged already; for a plan it is checked at once. A run whose domain is found is charged for both before
// the domain is: see FindRequest.charge.
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
	if before := r.before(); before != nil && !b.Holding(foundKey(r.File.Charge.ID)) { // the run charges it first
		if err := b.Sum.Charge(*before); err != nil {
			*f = append(*f, bookRefusal(b, err))
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

// check refuses a book of other tables, another relation or another unit.
func (u bookUse) check(b *book.Book, f *Faults) {
	for _, in := range u.inputs {
		if at := absolute(in[1]); at != "" && !slices.Contains(b.Inputs(), at) {
			f.add("--ledger", fmt.Sprintf("%s is the book of %s, whose table is %s, and %s names %s", b.Dir, b.Terms.Name, strings.Join(b.Inputs(), " or "), in[0], at),
				fmt.Sprintf("name the book of that table; if it is the same people's, `dapple ledger %s --input=%s` says so", b.Dir, in[1]))
		}
	}
	if n := b.Sum.Params().Neighbouring; n != u.neighbouring {
		f.add("--neighbouring", fmt.Sprintf("got %s, and %s counts for %s: add-remove and replace guarantees cannot be combined", u.neighbouring.Flag(), b.Dir, n.Flag()), "")
	}
	if u.unit != b.Terms.PrivacyID {
		f.add("--ledger", fmt.Sprintf("%s counts for %s, and %s for %s", b.Dir, unitOf(b.Terms.PrivacyID), u.says, unitOf(u.unit)), "they must protect the same unit")
	}
}

// book returns the section on the budget book of a statement; nil if there is none.
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
	if l, _, err := plan.Charge(r.Problem, r.Chosen); err == nil {
		if err := r.ledger.Sum.Refusal(l.Run()); err != nil {
			*f = append(*f, r.refused(r.ledger, err)...)
		}
	}
}

// left describes what a plan would leave of the budget book.
func (r *Request) left() []string {
	if r.ledger == nil {
		return nil
	}
	l, _, err := plan.Charge(r.Problem, r.Chosen)
	if err != nil || r.ledger.Sum.Charge(l.Run()) != nil {
		return nil // checked before
	}
	left := "nothing more"
	if e := largestOf(r.ledger); e > 0 {
		left = fmt.Sprintf("one more run of ε = %g", roundDown(e))
	}
	return []string{fmt.Sprintf("ledger    %s, the book of %s: this run fits, and with it ε = %.4g of %g is spent; then there is room for %s",
		r.Ledger, r.ledger.Terms.Name, float64(r.ledger.Sum.SpentEpsilon()), float64(r.ledger.Terms.Epsilon), left)}
}

func unitOf(privacyID string) string {
	if privacyID == "" {
		return "single records"
	}
	return "all records of one " + privacyID
}

func openLedger(ctx context.Context, dir string) (*book.Book, Faults) {
	err := files.CheckName(dir)
	var b *book.Book
	if err == nil {
		b, err = book.Open(ctx, dir)
	}
	switch {
	case errors.Is(err, book.ErrNone):
		return nil, Faults{{Where: "--ledger", What: dir + " holds no budget book", Fix: fmt.Sprintf("`dapple ledger %s --create=NAME …` makes one", dir)}}
	case err != nil:
		return nil, Faults{{Where: "--ledger", What: bookError(err)}}
	}
	return b, nil
}

// refused says that a run does not fit, and names the ε that would.
func (r *Request) refused(b *book.Book, err error) Faults {
	what := fmt.Sprintf("got %g; of %s, the book of %s, is spent: %s", float64(r.Epsilon), r.Ledger, b.Terms.Name, spentOf(b))
	if full := (accountant.ErrExhausted{}); !errors.As(err, &full) {
		return Faults{{Where: "--ledger", What: strings.Join(errorLines(err), "; "), Fix: "choose another --method, a smaller --epsilon, or a book made with --mixed"}}
	}
	fix := "nothing more can be released of this table under that promise; rows of the releases so far cost nothing: dapple sample"
	if l, _, chargeErr := plan.Charge(r.Problem, r.Chosen); chargeErr == nil {
		p := l.Params()
		if e := b.Sum.LargestEpsilon(func(e dp.Epsilon) (*accountant.Ledger, error) {
			p.Epsilon, p.Accounting = e, r.Chosen.Accounting(e, r.Delta)
			return accountant.NewLedger(p.Preferred())
		}); e > 0 {
			fix = fmt.Sprintf("--epsilon=%g fits", roundDown(e))
		}
	}
	return Faults{{Where: "--epsilon", What: what, Fix: fix}}
}

// charge enters a run in the budget book, if the request has one, and sets the entry that its statement names. Faults mean
// that the run does not fit; after another error it is unknown whether it was charged.
func (r *Request) charge(ctx context.Context, n run.Note, stated *report.Book) (notes []string, err error) {
	if r.Ledger == "" {
		return nil, nil
	}
	b, faults := openLedger(ctx, r.Ledger)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	l, _, err := plan.Charge(r.Problem, r.Chosen)
	if err != nil {
		return nil, err
	}
	if before := r.before(); before != nil {
		found, err := chargeFound(ctx, b, r.File.Charge.ID, r.Input, "what found the domain is charged, once", *before)
		if err != nil {
			return nil, err
		}
		notes = append(notes, found)
	}
	if r.foundEntry != "" { // before its domain was found
		stated.Entry, stated.SHA256 = b.Charged(foundKey(r.foundEntry))
		return notes, nil
	}
	err = b.Charge(ctx, n.Charge(), n.RunID, n.Input, l.Run())
	if refusal := (*book.Refused)(nil); errors.As(err, &refusal) {
		return nil, r.refused(b, refusal.Err)
	}
	if err != nil {
		return nil, err
	}
	stated.Entry, stated.SHA256 = b.Charged(n.Charge())
	return append(notes, fmt.Sprintf("%s, the book of %s: this run is charged; spent is %s", r.Ledger, b.Terms.Name, spentOf(b))), nil
}
