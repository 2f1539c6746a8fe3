package pipelines

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/request/progress"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// attempt is one try of a request to find its domain.
type attempt struct {
	name   string // under which it keeps what it finds
	id     string // of its noise; empty: not known yet
	found  []byte // nil: nothing yet
	drawn  bool
	job    run.Job // of no ID: it had none
	atWork bool
}

// attempt returns the newest try. One that was stopped before it has drawn never will, and another one follows it.
func (r *FindRequest) attempt(ctx context.Context) (a attempt, err error) {
	store := archive.Open(r.dir)
	newest, known := run.Staging{Dir: r.dir}.Newest(ctx)
	atWork := known && newest.MayGoOn(ctx) // before the store is read: a job that has ended changes it no more
	for n := 0; ; n++ {
		if a = (attempt{name: r.params.RunID}); n > 0 {
			a.name = fmt.Sprintf("%s-%d", r.params.RunID, n)
		}
		if known && newest.Run == a.name {
			a.job, a.atWork = newest, atWork
		}
		data, found, err := store.Get(ctx, a.name+discover.FoundSuffix)
		if found && err == nil {
			a.found = data
		}
		mark, drawn, markErr := store.Get(ctx, a.name+discover.FoundSuffix+synth.DrawnSuffix)
		a.drawn = drawn
		if err = errors.Join(err, markErr); err != nil || found || !run.Stopped(mark) {
			return a, err
		}
	}
}

// end keeps an attempt that has not drawn from ever doing so, whatever becomes of its workers.
func (r *FindRequest) end(ctx context.Context, a attempt) error {
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	return run.Staging{Dir: r.dir}.StopStep(ctx, a.name+discover.FoundSuffix+synth.DrawnSuffix)
}

// find adopts what an earlier run of the same command has found, waits for its job, or reads the table and releases its domain.
// The budget book is charged before noise is drawn; what was drawn by an earlier run states its own charge.
func (r *FindRequest) find(ctx context.Context) (*discover.Found, error) {
	paid := r.paid(ctx) // before the look: a launch at work is charged behind what it has found
	a, err := r.attempt(ctx)
	if err == nil && a.job.ID != "" && !a.atWork && !a.drawn && a.found == nil {
		if err = r.end(ctx, a); err == nil {
			_ = r.giveBack(ctx, a) // it is asked for again whenever this attempt is looked at
			a, err = r.attempt(ctx)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("pipelines: looking for what an earlier run has found: %w", err)
	case a.found != nil:
		return r.adopt(ctx, a)
	case errors.As(paid, new(*book.Paid)):
		return nil, unfoundRun(paid.Error())
	case paid != nil:
		return nil, paid
	case a.drawn && !a.atWork && r.Again:
		if err := r.forget(ctx); err != nil {
			return nil, err
		}
		return r.find(ctx)
	case a.drawn && !a.atWork: // the way it ended may depend on noisy answers
		more := "remove " + r.dir + " to spend it once more"
		if r.RunID != "" && r.Ledger != "" {
			more = "--again spends it once more"
		}
		return nil, fmt.Errorf("pipelines: an earlier run of this command drew noise to find the domain and ended without it: count %s of the budget as spent; %s, or name a --domain file", shareText(r.params.Share), more)
	}
	if err := r.begin(ctx, &a); err != nil {
		r.idle = IsRequest(err) && !a.atWork
		return nil, err
	}
	if err := r.look(ctx, a); err != nil {
		err = r.unfound(ctx, a, err)
		if errors.Is(err, errtext.ErrPrism) && !r.faulty {
			if b, _ := r.attempt(ctx); r.idle || b.found != nil { // another attempt loses nothing
				r.faulty, r.idle, r.notes = true, false, nil
				return r.find(ctx)
			}
		}
		return nil, err
	}
	switch b, err := r.attempt(ctx); {
	case err == nil && b.found != nil:
		b.id = a.id
		return r.adopt(ctx, b)
	case err == nil && r.Engine.runner.Service:
		return nil, r.unfound(ctx, a, errors.New("the job is done, and what it has found is not to be seen here: do its workers see the same directories?"))
	default:
		return nil, errors.Join(errors.New("pipelines: what was found of the table is gone; count its part of the budget as spent"), err)
	}
}

// forget removes what is left of an attempt whose noise is lost.
func (r *FindRequest) forget(ctx context.Context) error {
	if !files.Remote(r.dir) && !r.only() {
		return errors.New("pipelines: another run is at work in " + r.dir + "; wait for it")
	}
	err := files.RemoveAll(ctx, r.dir)
	r.unlock()
	return errors.Join(err, r.hold())
}

// adopt returns what another attempt has found, and charges the budget book with it unless that was done.
func (r *FindRequest) adopt(ctx context.Context, a attempt) (*discover.Found, error) {
	found, err := discover.Decode(a.found)
	if err != nil || found.Prior.ID == a.id {
		return found, err
	}
	return found, r.charge(ctx, found.Prior.ID, found.Prior)
}

// begin gives an attempt the ID of its noise, and charges the budget book.
func (r *FindRequest) begin(ctx context.Context, a *attempt) error {
	text, _, err := archive.Open(r.dir).CreateIfAbsent(ctx, a.name+idSuffix, []byte(rand.Text()+"\n"+absolute(r.Ledger)))
	if err != nil {
		return fmt.Errorf("pipelines: %w\nnothing was written and no privacy budget was spent", err)
	}
	a.id, _, _ = strings.Cut(string(text), "\n")
	prior, err := r.params.Prior()
	if err != nil {
		return err
	}
	return r.charge(ctx, a.id, prior)
}

// charge enters a finding in the budget book of the request, if there is one.
func (r *FindRequest) charge(ctx context.Context, id string, prior accountant.Prior) error {
	if r.Ledger == "" {
		return nil
	}
	b, faults := openLedger(ctx, r.Ledger)
	if err := faults.Err(); err != nil {
		return err
	}
	bound, _, err := prior.Runs(0)
	if err != nil {
		return err
	}
	note, err := earlier{id, bound, r.once(book.FoundRun(r.RunID)), r.Again}.charge(ctx, b, r.note(id))
	if paid, ok := errors.AsType[*book.Paid](err); ok {
		return unfoundRun(fmt.Sprintf("the domain of run %s was charged before, by entry %d of %s", r.RunID, paid.Number, paid.Time.Format("2006-01-02 15:04:05 UTC")))
	}
	r.notes = append(r.notes, note)
	return err
}

// note is what a budget book and the workers of a job are to know of an attempt.
func (r *FindRequest) note(id string) run.Note {
	return run.Note{RunID: r.params.RunID, Input: absolute(r.Input), Output: absolute(r.Output), Ledger: absolute(r.Ledger), Key: book.FoundKey(id)}
}

// charged reports whether the attempt that goes on is charged to the budget book.
func (r *FindRequest) charged(ctx context.Context) bool {
	a, err := r.attempt(ctx)
	id, _ := idOf(ctx, r.dir, a.name)
	return err == nil && r.book.Holding(book.FoundKey(id))
}

// idOf returns the ID of the noise of an attempt, and the budget book that it was to be charged to; empty: it has not begun.
func idOf(ctx context.Context, dir, attempt string) (id, ledger string) {
	text, _, err := archive.Open(dir).Get(ctx, attempt+idSuffix)
	if err != nil {
		return "", ""
	}
	id, ledger, _ = strings.Cut(string(text), "\n")
	return id, ledger
}

// giveBack returns the charge of an attempt that has drawn nothing and never will, and says so.
func (r *FindRequest) giveBack(ctx context.Context, a attempt) string {
	id, _ := idOf(ctx, r.dir, a.name)
	return r.note(id).GiveBack(ctx)
}

// look runs the pipeline of an attempt to its end, or waits for its job.
func (r *FindRequest) look(ctx context.Context, a attempt) error {
	m := progress.New(r.source.Bytes(), progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})
	st := run.Staging{Dir: r.dir}
	x := pipelineRun{
		engine: r.Engine, labels: r.Labels, run: a.name, submitted: st.Remember, dir: r.dir,
		stop: func(ctx context.Context) error { return r.end(ctx, a) },
	}
	x.engine.Detach = false // the job of the rows follows it
	if x.engine.JobName != "" {
		x.engine.JobName += "-domain"
	}
	if a.atWork {
		return x.attach(ctx, a.job, m)
	}
	if err := st.Sign(ctx, r.note(a.id)); err != nil {
		return err
	}
	p := r.params
	p.RunID, p.ID, p.Store = a.name, a.id, st.Ref() // which an attempt that was stopped cannot write to
	if !r.Engine.runner.Elsewhere && !r.Engine.runner.Service {
		p.Spill = private.NewSpill("")
		defer func() { _ = p.Spill.Close() }() // what could not be removed has no key any more
	}
	pipe, s := beam.NewPipelineWithRoot()
	discover.Discover(s, readTable(s, r.source, p.Records(), r.form, r.Engine.runner.Java), p)
	if r.Engine.runner.Service {
		return x.execute(ctx, pipe, m)
	}
	gate := run.NewGate(a.name)
	defer gate.Forget()
	err := x.execute(ctx, pipe, m)
	if err != nil {
		gate.Shut(waitForPublication) // a function that still works draws no more
	}
	return err
}

// unfound says of an attempt that has failed whether its part of the budget is spent. What has drawn nothing never will, and its
// charge is taken back.
func (r *FindRequest) unfound(ctx context.Context, a attempt, err error) error {
	if running := (*jobStillRunning)(nil); errors.As(err, &running) {
		return fmt.Errorf("%w\nit finds the domain: the same command waits for it, and pays nothing twice; until then %s is private", err, r.dir)
	}
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	endErr := r.end(ctx, a)
	if endErr != nil && !r.Engine.runner.Service && r.only() { // such as on a full disk: nobody but this process could draw, and it is behind its gate
		endErr = nil
	}
	st := run.Staging{Dir: r.dir}
	_, found, foundErr := st.Has(ctx, a.name+discover.FoundSuffix)
	_, drawn, drawnErr := st.Has(ctx, a.name+discover.FoundSuffix+synth.DrawnSuffix)
	switch {
	case found && foundErr == nil:
		return fmt.Errorf("%w\nthe domain has been found: count %s of the budget as spent; the same command goes on with it", err, shareText(r.params.Share))
	case drawn && drawnErr == nil:
		return fmt.Errorf("%w\nnoise had been drawn to find the domain: count %s of the budget as spent", err, shareText(r.params.Share))
	case errors.Join(endErr, foundErr, drawnErr) != nil:
		return fmt.Errorf("%w\nit could not be found out whether noise had been drawn to find the domain: count %s of the budget as spent", err, shareText(r.params.Share))
	}
	r.idle = true
	return fmt.Errorf("%w\nnothing was written and no privacy budget was spent%s", err, r.giveBack(ctx, a))
}
