package pipelines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

func openLedger(ctx context.Context, dir string) (*book.Book, Faults) {
	b, fault := book.Find(ctx, dir)
	if fault != nil {
		return nil, Faults{faultOf(fault)}
	}
	return b, nil
}

// faultOf is a fault of a book among the faults of a request.
func faultOf(f *book.Fault) Fault { return Fault{Where: f.Where, What: f.What, Fix: f.Fix} }

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
	Like  string   // ε and δ of runs: how many more of them fit; empty: not asked
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
	if _, err := c.like(); err != nil {
		f.add("--like", err.Error(), "write both, such as --like=1,1e-9")
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
		if len(c.Check) > 0 || c.Like != "" {
			f.add("--check, --like", "are about a book that is there, and --create makes one", "leave one of the two out")
		}
		if _, err := accountant.NewBook(c.Neighbouring, c.Epsilon, c.Delta, c.Mixed); err != nil {
			f.add("--epsilon", fmt.Sprintf("got %g with --delta=%g; %s", float64(c.Epsilon), float64(c.Delta), strings.Join(errtext.Lines(err), "; ")),
				"they bound what all runs on the table may lose together; there is no safe default")
		}
	}
	return f.Err()
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
		err = errors.Join(c.writeLike(w, b), checkReleases(ctx, w, b, c.Check))
	}
	return err
}

// like returns the ledger parameters of the runs that Like asks about; nil: it asks nothing.
func (c LedgerConfig) like() (*accountant.Params, error) {
	if c.Like == "" {
		return nil, nil
	}
	first, second, _ := strings.Cut(c.Like, ",")
	epsilon, epsilonErr := strconv.ParseFloat(strings.TrimSpace(first), 64)
	delta, deltaErr := strconv.ParseFloat(strings.TrimSpace(second), 64)
	if errors.Join(epsilonErr, deltaErr) != nil {
		return nil, fmt.Errorf("got %q; want ε and δ", c.Like)
	}
	p := accountant.Params{Epsilon: dp.Epsilon(epsilon), Delta: dp.Delta(delta), Coordinates: typicalNumbers}
	if p.Accounting = dp.GaussianOnly; delta == 0 {
		p.Accounting, p.Coordinates = dp.Pure, 0
	}
	if err := errors.Join(p.Epsilon.Validate(), p.Delta.Validate()); err != nil {
		return nil, fmt.Errorf("got %q; %s", c.Like, strings.Join(errtext.Lines(err), "; "))
	}
	return &p, nil
}

// typicalNumbers is how many noisy numbers a run may draw whose plan is not known.
const typicalNumbers = 1 << 20

// mostLike bounds how many runs are counted.
const mostLike = 10_000

// writeLike says how many more runs of an ε and δ fit, one after the other.
func (c LedgerConfig) writeLike(w io.Writer, b *book.Book) error {
	p, err := c.like()
	if p == nil || err != nil {
		return err
	}
	p.Neighbouring = b.Sum.Params().Neighbouring
	l, err := accountant.NewLedger(p.Preferred())
	if err != nil {
		return err
	}
	n, more := 0, ""
	for n < mostLike && b.Sum.Charge(l.Run()) == nil {
		n++
	}
	if n == mostLike {
		more = "at least "
	}
	_, err = fmt.Fprintf(w, "fits    %s%d more %s of ε = %g and δ = %g\n", more, n, page.Plural(n, "run"), float64(p.Epsilon), float64(p.Delta))
	return err
}

// checkReleases compares what the statements of releases say of their entries with the book: each stands on an entry, and no two
// on one. All differences are in the error.
func checkReleases(ctx context.Context, w io.Writer, b *book.Book, outputs []string) error {
	type stands struct{ dir, model string }
	on := map[int]stands{}
	var errs []error
	for _, dir := range outputs {
		o, err := dirsink.Open(ctx, dir)
		var p report.Privacy
		if err == nil {
			p, err = contents.Statement(ctx, o.Release)
		}
		switch {
		case err != nil:
		case p.Book == nil || p.Book.DataSet != b.Terms.Name:
			err = fmt.Errorf("it is not entered in the book of %s", b.Terms.Name)
		default:
			err = b.Holds(p.Book.Entry, p.Book.SHA256)
		}
		if other := on[entryOf(p)]; err == nil && other.dir != "" && other.model != p.Hashes.Model {
			err = fmt.Errorf("it stands on entry %d, and so does %s, which is another release: one of the two is not paid for", p.Book.Entry, other.dir)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s", dir, errtext.Text(err)))
			continue
		}
		on[p.Book.Entry] = stands{dir, p.Hashes.Model}
		if _, err := fmt.Fprintf(w, "check   %s is entry %d\n", dir, p.Book.Entry); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("pipelines: not all of these releases are entered in %s; restore the book from a copy, or find theirs, before another run:\n%w", b.Dir, errors.Join(errs...))
	}
	return nil
}

// entryOf is the entry of a budget book that a statement names; 0: none.
func entryOf(p report.Privacy) int {
	if p.Book == nil {
		return 0
	}
	return p.Book.Entry
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
			if c.Output != "" {
				state = " for " + c.Output + state
			}
			what := "run " + c.Run
			if strings.HasPrefix(c.Run, book.FoundKey("")) {
				what = "domain " + c.Run
			}
			fmt.Fprintf(&s, "  %-5d %s  ε = %.4g, δ = %g, %s%s\n", e.Number, e.Time.Format("2006-01-02 15:04:05 UTC"), float64(c.Epsilon), float64(c.Delta), what, state)
		}
	}
	fmt.Fprintf(&s, "spent   %s\n", b.Spent())
	if largest := b.Largest(); largest > 0 {
		fmt.Fprintf(&s, "left    one more run of at most ε = %g at δ = %g, if it draws Gaussian noise alone, as rake and dpam do\n", book.RoundDown(largest), float64(t.Delta))
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
