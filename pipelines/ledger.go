package pipelines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/finished"
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

// LedgerConfig is a request to make, change or print a budget book.
type LedgerConfig struct {
	Dir string // directory of the book; required

	Create       string // name of the data set; empty: the book is there
	Epsilon      dp.Epsilon
	Delta        dp.Delta
	Neighbouring dp.Neighbouring
	PrivacyID    string // column that names the privacy unit; empty: every record is one
	Mixed        bool   // admit methods that select too, with a little less room
	Input        string // the table; for an existing book: another name of it

	Check []string // outputs of runs, which must be entered in the book
}

// ValidateLedger finds every fault of a request about a budget book.
func ValidateLedger(ctx context.Context, c LedgerConfig) error {
	var f Faults
	if c.Dir == "" {
		return nil // missing flags are reported when flags are read
	}
	if err := files.CheckName(c.Dir); err != nil {
		f.add(c.Dir, err.Error(), "")
		return f
	}
	b, err := book.Open(ctx, c.Dir)
	switch missing := errors.Is(err, book.ErrNone); {
	case c.Create == "" && missing:
		f.add(c.Dir, "holds no budget book", "--create=NAME makes one for the data set of that name")
	case err != nil && !missing:
		f.add(c.Dir, bookError(err), "")
	case c.Create == "":
		if c.Epsilon != 0 || c.Delta != 0 || c.PrivacyID != "" || c.Mixed || c.Neighbouring != dp.AddRemove {
			f.add("--create", "is not given, and the terms of a book never change", "leave out all flags but --input")
		}
	case err == nil:
		f.add("--create", fmt.Sprintf("%s holds the budget book of %s already", c.Dir, b.Terms.Name), "its terms never change: leave --create out, or name another directory")
	default:
		if c.Input == "" {
			f.add("--input", "is required with --create: the table, as runs name it", "")
		}
		if len(c.Check) > 0 {
			f.add("--check", "compares releases with a book that is there, and --create makes one", "leave one of the two out")
		}
		if _, err := accountant.NewBook(c.Neighbouring, c.Epsilon, c.Delta, c.Mixed); err != nil {
			f.add("--epsilon", fmt.Sprintf("got %g with --delta=%g; %s", float64(c.Epsilon), float64(c.Delta), strings.Join(errorLines(err), "; ")),
				"they bound what all runs on the table may lose together; there is no safe default")
		}
	}
	return f.Err()
}

// errorLines returns the lines of an error without their packages.
func errorLines(err error) (lines []string) {
	for line := range strings.Lines(err.Error()) {
		if _, after, ok := strings.Cut(line, ": "); ok {
			line = after
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

func bookError(err error) string { return strings.TrimPrefix(err.Error(), "book: ") }

// Ledger makes or changes a book if the request asks for it, and prints it.
func Ledger(ctx context.Context, w io.Writer, c LedgerConfig) error {
	var b *book.Book
	var err error
	if c.Create != "" {
		b, err = book.Create(ctx, c.Dir, book.Terms{
			Name: c.Create, PrivacyID: c.PrivacyID, Neighbouring: c.Neighbouring.Flag(), Epsilon: c.Epsilon, Delta: c.Delta,
			Mixed: c.Mixed, Inputs: []string{absolute(c.Input)},
		})
	} else if b, err = book.Open(ctx, c.Dir); err == nil && c.Input != "" {
		err = b.AddInput(ctx, absolute(c.Input))
	}
	if err != nil {
		return err
	}
	switch err = writeBook(w, b); {
	case err != nil && c.Create != "":
		return fmt.Errorf("%w\nthe book is made all the same: `dapple ledger %s` prints it", err, c.Dir)
	case err != nil && c.Input != "":
		return fmt.Errorf("%w\nthe table is entered all the same: `dapple ledger %s` prints it", err, c.Dir)
	case err == nil:
		err = checkReleases(ctx, w, b, c.Check)
	}
	return err
}

// checkReleases compares what the statements of releases say of their entries with the book. All differences are in the
// error.
func checkReleases(ctx context.Context, w io.Writer, b *book.Book, outputs []string) error {
	var errs []error
	for _, dir := range outputs {
		o, err := dirsink.Open(ctx, dir)
		var p report.Privacy
		if err == nil {
			p, err = finished.Statement(ctx, o.Release)
		}
		switch {
		case err != nil:
		case p.Book == nil || p.Book.DataSet != b.Terms.Name:
			err = fmt.Errorf("it is not entered in the book of %s", b.Terms.Name)
		default:
			err = b.Holds(p.Book.Entry, p.Book.SHA256)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s", dir, cause.Text(err)))
			continue
		}
		if _, err := fmt.Fprintf(w, "check   %s is entry %d\n", dir, p.Book.Entry); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("pipelines: not all of these releases are entered in %s; restore the book from a copy, or find theirs, before another run:\n%w", b.Dir, errors.Join(errs...))
	}
	return nil
}

func writeBook(w io.Writer, b *book.Book) error {
	var s strings.Builder
	p, t := b.Sum.Params(), b.Terms
	unit := "record"
	if t.PrivacyID != "" {
		unit = t.PrivacyID
	}
	fmt.Fprintf(&s, "book    %s: ε = %g, δ = %g over all runs, %s one %s; %s accounting\n", t.Name, float64(t.Epsilon), float64(t.Delta), verbOf(p.Neighbouring), unit, p.Accounting)
	for _, in := range b.Inputs() {
		fmt.Fprintf(&s, "table   %s\n", in)
	}
	standing := b.Standing()
	for _, e := range b.Entries {
		if c := e.Charge; c != nil {
			state := ""
			if !slices.ContainsFunc(standing, func(o *book.Charge) bool { return o.Key == c.Key }) {
				state = "; taken back: it drew nothing"
			}
			fmt.Fprintf(&s, "  %-5d %s  ε = %g, δ = %g, run %s%s\n", e.Number, e.Time.Format("2006-01-02 15:04:05 UTC"), float64(c.Epsilon), float64(c.Delta), c.Run, state)
		}
	}
	fmt.Fprintf(&s, "spent   %s\n", spentOf(b))
	if largest := largestOf(b); largest > 0 {
		fmt.Fprintf(&s, "left    one more run of at most ε = %g at δ = %g, if it draws Gaussian noise alone, as rake and dpam do\n", roundDown(largest), float64(t.Delta))
	} else {
		s.WriteString("left    nothing\n")
	}
	fmt.Fprintf(&s, "digest  %s, of entry %d, the last\n", b.SHA256(), len(b.Entries)-1)
	_, err := io.WriteString(w, s.String())
	return err
}

func verbOf(n dp.Neighbouring) string {
	if n == dp.Replace {
		return "replace"
	}
	return "add or remove"
}

// spentOf describes the sum of all charges.
func spentOf(b *book.Book) string {
	n := b.Sum.Runs()
	return fmt.Sprintf("ε = %.4g of %g by %d %s", float64(b.Sum.SpentEpsilon()), float64(b.Terms.Epsilon), n, plural(n, "run"))
}

// largestOf returns the largest ε of one more run at the book's δ; a pure run in a pure book.
func largestOf(b *book.Book) dp.Epsilon {
	p := b.Sum.Params()
	if p.Accounting != dp.Pure {
		p.Accounting = dp.GaussianOnly
	}
	return b.Sum.LargestEpsilon(func(e dp.Epsilon) (*accountant.Ledger, error) {
		return accountant.NewLedger(accountant.Params{Neighbouring: p.Neighbouring, Accounting: p.Accounting, Epsilon: e, Delta: p.Delta, Coordinates: 1}.Preferred())
	})
}

// roundDown writes an ε with three digits, rounded down.
func roundDown(e dp.Epsilon) float64 {
	x := float64(e)
	for digits, unit := 0, 1.0; digits < 12; digits, unit = digits+1, unit*10 {
		if n := float64(int64(x * unit)); n >= 100 {
			return n / unit
		}
	}
	return x
}
