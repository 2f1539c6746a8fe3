package pipelines

import (
	"context"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
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

// checkRoom refuses a request that the budget book has no room for: finding, and the run behind it.
func (r *FindRequest) checkRoom(f *Faults) {
	if r.book == nil {
		return
	}
	prior, err := r.params.Prior()
	var finding, rest accountant.Run
	if err == nil {
		finding, rest, err = prior.Runs(typicalNumbers) // the plan of the run follows from what is found
	}
	if err != nil {
		*f = append(*f, ErrorFaults("--epsilon", err)...)
		return
	}
	ctx := context.Background()
	if r.keepAt() != nil || r.charged(ctx) || r.to.finished(ctx) {
		return
	}
	if err = r.book.Sum.Charge(finding); err == nil && !r.alone {
		err = r.book.Sum.Refusal(rest)
	}
	if err != nil {
		*f = append(*f, faultOf(r.book.Full(0, err, nil)))
	}
}

// unitColumn is the column of a flag or file that may say none.
func unitColumn(privacyID string) string {
	if privacyID == schema.NoPrivacyID {
		return ""
	}
	return privacyID
}

// Infer finds a domain, or adopts what an earlier attempt of the same command has found, and charges it to the budget book.
// Done has to be called once the file is written.
func Infer(ctx context.Context, r *FindRequest) (*Inferred, error) {
	if err := r.hold(); err != nil {
		return nil, err
	}
	defer r.leave(ctx)
	found, err := r.find(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.nothing(found); err != nil {
		return nil, err
	}
	charge, err := publish.ChargeOf(found)
	if err != nil {
		return nil, err
	}
	res := &Inferred{Notes: r.notes, dir: r.dir}
	if res.Text, err = r.complete(found, &charge); err != nil {
		return nil, err
	}
	if _, err := r.checkCompleted(ctx, res.Text); err != nil {
		return nil, fmt.Errorf("%w\nthe budget of the finding is spent, and what was found is kept: the same command goes on with it, also with a domain file that declares the rest otherwise", err)
	}
	res.Notes = append(res.Notes, r.foundNotes(found, fmt.Sprintf("ε = %g and δ = %g", float64(r.Epsilon), float64(r.Delta)), "the file")...)
	res.Notes = append(res.Notes, firstOf(r.leftOut(found), 5, "left out: ", " more columns are left out: the file says why")...)
	res.Notes = append(res.Notes, firstOf(found.Misfits(), 3, "", " more columns have values that did not fit: the file says which")...)
	return res, nil
}

// Done removes what was kept for another attempt.
func (i *Inferred) Done(ctx context.Context) error { return files.RemoveAll(ctx, i.dir) }

// earlier is a finding that a request rests on, with a bound on its loss. A budget book charges its ID once.
type earlier struct {
	id    string
	run   accountant.Run
	once  string // see book.Payer; empty: the ID is all that is compared
	again bool
}

func (e earlier) key() string { return book.FoundKey(e.id) }

// charge enters a finding in a budget book, for the run of a note.
func (e earlier) charge(ctx context.Context, b *book.Book, n run.Note) (string, error) {
	_, err := b.Charge(ctx, book.Payer{Key: e.key(), Once: e.once, Again: e.again, Run: e.key(), Input: n.Input, Output: n.Output}, e.run)
	if refusal, ok := errors.AsType[*book.Refused](err); ok {
		return "", Faults{faultOf(b.Full(0, refusal.Err, nil))}
	}
	if other, ok := errors.AsType[*book.OtherLoss](err); ok {
		return "", Faults{{Where: "--ledger", What: fmt.Sprintf("%s, the book of %s: %v", b.Dir, b.Terms.Name, other), Fix: "the domain file and its finding have different charges: find the domain again"}}
	}
	return fmt.Sprintf("%s, the book of %s: what found the domain is charged, once; spent is %s", b.Dir, b.Terms.Name, b.Spent()), err
}

// before lists the findings that the domain of a request comes from: its file's, and the one within its own budget.
func (r *Request) before() (list []earlier) {
	if run := r.apart(); run != nil {
		list = append(list, earlier{id: r.File.Charge.ID, run: *run})
	}
	if r.found != nil {
		if run, _, err := r.found.Prior.Runs(0); err == nil { // it was drawn with them
			list = append(list, earlier{id: r.found.Prior.ID, run: run})
		}
	}
	return list
}

// apart is what finding the domain of the file has cost, with a budget of its own; nil: nothing.
func (r *Request) apart() *accountant.Run {
	if r.File == nil || r.File.Charge == nil {
		return nil
	}
	run, err := publish.RunOf(r.File.Charge)
	if err != nil {
		return nil
	}
	return &run
}

// checkBefore refuses a charge that cannot be added to the request's.
func (r *Request) checkBefore(f *Faults) {
	if r.File == nil || r.File.Charge == nil {
		return
	}
	switch run := r.apart(); {
	case run == nil:
		f.add("--domain", "found: is no charge that this version of dapple can add up", "find the domain again with this version")
	case run.Neighbouring != r.Neighbouring:
		f.add("--neighbouring", fmt.Sprintf("got %s, and the domain was found for %s: add-remove and replace guarantees cannot be combined", r.Neighbouring.Flag(), run.Neighbouring.Flag()), "")
	}
}

// foundBefore is the section on a domain that was found apart, of a statement; nil without one.
func (r *Request) foundBefore() *report.Found {
	before := r.apart()
	if before == nil {
		return nil
	}
	l, err := r.account()
	if err == nil && r.found != nil { // the statement is of both that share the budget
		l, err = accountant.NewLedger(r.found.Prior.Params)
	}
	if err != nil {
		return nil // such a request is refused
	}
	return publish.FoundBefore(r.File.Charge.ID, *before, l.Run())
}
