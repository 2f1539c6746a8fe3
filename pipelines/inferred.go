package pipelines

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
)

// A domain may be found apart from a run: with a budget of its own, whole. Its file carries the charge. A release that uses
// the file states it, and a budget book charges it once.

// Inferred is a domain file that was found privately.
type Inferred struct {
	Text  []byte
	Notes []string
	dir   string // where what was found is kept until the file is written
}

// ValidateInfer finds every fault of a request to find a domain alone: c.Output is the file to write. It reads no record.
func ValidateInfer(ctx context.Context, c Config) (*FindRequest, error) {
	r := &FindRequest{Config: c.withDefaults(), alone: true}
	var f Faults
	if r.DomainShare = 1; r.Output == "" {
		f.add("--output", "is required where a domain is found privately", "name a file: noise is drawn once, and a pipe may break")
	}
	checkFigures(r.Config, &f)
	if r.Domain != "" {
		r.checkOpen(ctx, &f)
	}
	if r.Domain == "" || r.open() != nil && len(f) == 0 {
		r.check(ctx, &f)
	}
	return r, f.Err()
}

// checkOpen reads a domain file whose open parts are to be found, and compares it with the table.
func (r *FindRequest) checkOpen(ctx context.Context, f *Faults) {
	r.checkUnit(f)
	finds := Finds(ctx, &r.Config)
	*f = append(*f, r.parsed.faults...)
	switch {
	case len(r.parsed.faults) > 0:
		return
	case !finds:
		f.add("--domain", "nothing in it is to be found", "write find in place of a value, or leave out what a column can contain")
	case r.parsed.file.Charge != nil:
		f.add("--domain", "found: it carries what an earlier finding has cost, and a file carries one", "find all parts at once, or run synth, which adds both")
	}
	if r.wholly() {
		r.takeDeclared(f)
		return
	}
	req := &Request{Config: r.Config, File: r.parsed.file}
	if checkInput(ctx, req, f); req.source != nil {
		*f = append(*f, ErrorFaults("--input", req.source.Check(ctx, req.File.Domain.Recorded(), req.File.CSV))...)
	}
	r.source = req.source
}

// idSuffix is of the name, behind a run ID, under which the ID of a finding is kept.
const idSuffix = ".id"

// openBook opens the budget book of a request.
func (r *FindRequest) openBook(ctx context.Context, f *Faults) {
	if r.Ledger == "" {
		return
	}
	b, faults := openLedger(ctx, r.Ledger)
	if *f = append(*f, faults...); b == nil {
		return
	}
	r.book = b
	unit := unitColumn(r.PrivacyID)
	bookOf := bookUse{inputs: [][2]string{{"--input", r.Input}}, neighbouring: r.Neighbouring, unit: unit, says: "the request"}
	bookOf.check(b, f)
}

// checkRoom refuses a request that the budget book has no room for.
func (r *FindRequest) checkRoom(f *Faults) {
	if r.book == nil {
		return
	}
	run, err := r.params.Run()
	if err != nil {
		*f = append(*f, ErrorFaults("--epsilon", err)...)
	} else if err := r.book.Sum.Refusal(run); err != nil && !r.charged() && !r.target().finished(context.Background()) {
		*f = append(*f, bookRefusal(r.book, err))
	}
}

// unitColumn is the column of a flag or file that may say none.
func unitColumn(privacyID string) string {
	if privacyID == schema.NoPrivacyID {
		return ""
	}
	return privacyID
}

// bookRefusal says that a finding does not fit into a book.
func bookRefusal(b *book.Book, err error) Fault {
	fix := "lower --epsilon"
	if full := (accountant.ErrExhausted{}); !errors.As(err, &full) {
		fix = fmt.Sprintf("a --delta of %.1g fits into a new book", float64(b.Terms.Delta)/coveredPart)
	}
	return Fault{Where: "--ledger", What: fmt.Sprintf("%s, the book of %s, has no room for this: %s", b.Dir, b.Terms.Name, errorLines(err)[0]), Fix: fix}
}

// coveredPart: a tenth of a book's δ is that of a finding whose values are paid from what the book keeps back.
const coveredPart = 10

// Infer finds a domain, or adopts what an earlier attempt of the same command has found, and charges it to the budget book.
// Done has to be called once the file is written.
func Infer(ctx context.Context, r *FindRequest) (*Inferred, error) {
	release, err := r.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	run, err := r.params.Run()
	if err != nil {
		return nil, err
	}
	res := &Inferred{dir: r.dir}
	id, notes, err := r.charge(ctx)
	if err != nil {
		return nil, err
	}
	res.Notes = notes
	found, err := r.find(ctx)
	if err != nil {
		return nil, err
	}
	charge := publish.ChargeOf(id, found.PrivacyID, run)
	if res.Text, err = r.complete(found, &charge); err != nil {
		return nil, err
	}
	if _, err := r.checkCompleted(ctx, res.Text); err != nil {
		return nil, fmt.Errorf("%w\nthe budget of the finding is spent, and what was found is kept: the same command goes on with it, also with a domain file that declares the rest otherwise", err)
	}
	res.Notes = append(res.Notes, r.foundNotes(found, fmt.Sprintf("ε = %g and δ = %g", float64(r.Epsilon), float64(r.Delta)), "the file")...)
	return res, nil
}

// charge gives the request an ID, which is that of an earlier attempt, and enters it in the budget book before anything is
// drawn: finding alone, or finding and run together, whose ledger is one.
func (r *FindRequest) charge(ctx context.Context) (id string, notes []string, err error) {
	own, _, err := keep.Open(r.dir).CreateIfAbsent(ctx, r.params.RunID+idSuffix, []byte(rand.Text()))
	if err != nil || r.book == nil {
		return string(own), nil, err
	}
	run, err := r.params.Run()
	if err != nil {
		return "", nil, err
	}
	what := "what found the domain is charged, once"
	if !r.alone {
		what = "finding the domain and this run are charged as one"
	}
	note, err := chargeFound(ctx, r.book, string(own), r.Input, what, run)
	return string(own), []string{note}, err
}

// charged reports whether an earlier attempt has charged the budget book.
func (r *FindRequest) charged() bool {
	if r.keepAt() != nil {
		return false
	}
	id, known, err := keep.Open(r.dir).Get(context.Background(), r.params.RunID+idSuffix)
	return err == nil && known && r.book.Holding(foundKey(string(id)))
}

// Done removes what was kept for another attempt.
func (i *Inferred) Done(ctx context.Context) error { return files.RemoveAll(ctx, i.dir) }

func foundKey(id string) string { return "found-" + id }

// chargeFound enters a finding in a budget book, once.
func chargeFound(ctx context.Context, b *book.Book, id, input, what string, run accountant.Run) (string, error) {
	err := b.Charge(ctx, foundKey(id), foundKey(id), absolute(input), run)
	if refusal := (*book.Refused)(nil); errors.As(err, &refusal) {
		return "", Faults{bookRefusal(b, refusal.Err)}
	}
	return fmt.Sprintf("%s, the book of %s: %s; spent is %s", b.Dir, b.Terms.Name, what, spentOf(b)), err
}

// before is what finding the domain of the file has cost, apart from this request; nil: nothing.
func (r *Request) before() *accountant.Run {
	if r.File == nil || r.File.Charge == nil {
		return nil
	}
	c := r.File.Charge
	n, err := dp.ParseNeighbouring(c.Neighbouring)
	if err != nil {
		return nil // said by checkBefore
	}
	run, err := (&book.Charge{
		Key: c.ID, Epsilon: dp.Epsilon(c.Epsilon), Delta: dp.Delta(c.Delta), Accounting: c.Accounting, Loss: c.Loss,
		Coordinates: c.NoisyNumbers, ValuesDelta: dp.Delta(c.ValuesDelta),
	}).Of(n)
	if err != nil {
		return nil
	}
	return &run
}

// checkBefore refuses a charge that cannot be added to that of the request.
func (r *Request) checkBefore(f *Faults) {
	if r.File == nil || r.File.Charge == nil {
		return
	}
	switch run := r.before(); {
	case run == nil:
		f.add("--domain", "found: is no charge that this version of dapple can add up", "find the domain again with this version")
	case run.Neighbouring != r.Neighbouring:
		f.add("--neighbouring", fmt.Sprintf("got %s, and the domain was found for %s: add-remove and replace guarantees cannot be combined", r.Neighbouring.Flag(), run.Neighbouring.Flag()), "")
	}
}

// foundBefore is the section on a domain that was found apart, of a statement; nil: there is none.
func (r *Request) foundBefore() *report.Found {
	before := r.before()
	if before == nil {
		return nil
	}
	l, _, err := plan.ChargeAfter(r.Problem, r.Chosen, r.prior())
	if err != nil {
		return nil // such a request is refused
	}
	epsilon, delta := l.Run().Together(*before)
	return &report.Found{
		ID: r.File.Charge.ID, Epsilon: float64(before.Epsilon), Delta: float64(before.Delta), Accounting: before.Accounting.String(), Loss: before.Loss.RatString(),
		TogetherEpsilon: float64(epsilon), TogetherDelta: float64(delta),
	}
}
