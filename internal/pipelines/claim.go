package pipelines

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/solver"
)

// claim is a run that has its staging: a new one, or one that began earlier and is finished now.
type claim struct {
	launch
	r       *Request
	note    run.Note
	staging run.Staging
	begun   *run.Leftover // the earlier one; nil: none
	keep    bool          // the staging stays: its release is not published
	charged bool
	adopted string // what is said of it; empty: nothing
	notes   []string
}

// claim finds what has begun of the request, or begins it. It returns no claim if there is nothing to run.
func (r *Request) claim(ctx context.Context) (*claim, *Result, error) {
	c := &claim{r: r, launch: launch{runID: cmp.Or(r.RunID, rand.Text()), seed: sampleSeed(r.SampleSeed, r.HasSampleSeed)}}
	where := r.to.area
	c.note = r.note(c.runID)
	if r.Engine.runner.Elsewhere && !files.Remote(where.Dir) {
		if err := os.MkdirAll(where.Dir, 0o777); err != nil {
			return nil, nil, Faults{{Where: "--store", What: errtext.PathText(err)}}
		}
	}
	if r.Engine.Cloud.DryRun {
		res, err := r.dry(ctx, c.launch, c.note)
		return nil, res, err
	}
	if res, err := r.again(ctx); res != nil || err != nil {
		return nil, res, err
	}
	var err error
	if c.begun, c.notes, err = r.resume(ctx, c.note); err != nil {
		return nil, nil, asFault(err)
	}
	if c.begun != nil {
		if !c.begun.AtWork {
			if res, err := r.alreadyPublished(ctx, c.begun); res != nil || err != nil {
				return nil, res, err
			}
		}
		c.note, c.runID, c.keep = c.begun.Note, c.begun.Publisher(r.RunID), true
		c.adopted = says(c.begun)
	}
	if c.begun == nil {
		if err := r.paid(ctx); err != nil {
			return nil, nil, err
		}
	}
	if c.staging, c.note, err = stagingOf(ctx, c.begun, where, c.note); err != nil {
		return nil, nil, err
	}
	c.store, c.output = c.staging.Ref(), r.output(c.runID, c.staging, c.note.Began)
	if !r.Engine.runner.Elsewhere {
		c.spill = private.NewSpill(r.to.scratch) // what it keeps does not leave this machine, encrypted or not
	}
	return c, nil, nil
}

// says is the note of a run that finishes an earlier one.
func says(f *run.Leftover) string {
	if f.AtWork {
		return fmt.Sprintf("the job belongs to the run begun %s: no other was submitted, and no more budget is spent", f.Begun())
	}
	return fmt.Sprintf("the release belongs to the run begun %s, which had not published it: the table was not read again, and no more budget is spent", f.Begun())
}

// stagingOf returns the staging of a run with its note: an earlier one, or a new one. On an object store launches of one
// ID at once share one staging, and so one charge.
func stagingOf(ctx context.Context, begun *run.Leftover, where run.Area, n run.Note) (run.Staging, run.Note, error) {
	if begun != nil {
		return begun.Staging, begun.Note, nil
	}
	st, err := where.Stage(ctx, n.RunID)
	if err != nil {
		return st, n, asFault(err)
	}
	signed := n // by another launch of its ID, if that came first
	if err = st.Sign(ctx, n); err == nil {
		signed, err = st.Note(ctx)
	}
	if err != nil {
		_, err = st.Ending(ctx, n, stopped(ctx, err))
		st.Remove(ctx)
		return st, n, err
	}
	return st, signed, nil
}

// publishedBy returns the output that the run of an ID has published, itself or through one that resumed it; nil without one.
func (r *Request) publishedBy(ctx context.Context, id string) *output {
	publisher, ok := run.FinishedAs(ctx, r.to.beside, id)
	if !ok {
		return nil
	}
	if out := r.output(publisher, run.Staging{}, time.Time{}); out.published(ctx) {
		return out
	}
	return nil
}

// again returns the result of a run that has an ID and has finished before; nil if it has not.
func (r *Request) again(ctx context.Context) (*Result, error) {
	out := r.publishedBy(ctx, r.RunID)
	if out == nil {
		return nil, nil
	}
	res, err := resultOf(ctx, r, out)
	if err == nil {
		err = r.checkFinished(res.Privacy)
	}
	if err != nil {
		return nil, err
	}
	if f, ok := r.to.area.Find(ctx, r.RunID); ok {
		if f.AtWork && f.Job.ID != run.Unlaunched { // it has published, and ends
			f.Unlock()
		} else {
			f.Remove(ctx)
		}
	}
	res.Written.Adopted = "run " + r.RunID + " had finished before: nothing was read, written or spent now"
	gone, err := r.rowsGone(ctx)
	if gone && err == nil {
		if res, err = r.remake(ctx, res.Privacy); err == nil {
			res.Written.Adopted = "run " + r.RunID + " had finished before, and rows of it were gone: its model has made them again; nothing was read or spent now"
		}
	}
	return res, err
}

// alreadyPublished returns the result of a run that was killed after it had published, and before it had removed its
// staging; nil if it had not. The same request, which took up that staging, pays nothing more.
func (r *Request) alreadyPublished(ctx context.Context, f *run.Leftover) (*Result, error) {
	out := r.publishedBy(ctx, f.RunID)
	if out == nil {
		return nil, nil
	}
	f.Remove(ctx)
	res, err := resultOf(ctx, r, out)
	if res != nil {
		res.Written.Adopted = fmt.Sprintf("the run begun %s had published this and was ended as it removed its files: nothing was read, written or spent now", f.Begun())
	}
	return res, err
}

// resume returns an unfinished run of this request to resume: by its ID if there is one, otherwise a kept release.
func (r *Request) resume(ctx context.Context, n run.Note) (begun *run.Leftover, notes []string, err error) {
	if r.RunID == "" {
		return r.to.area.Resume(ctx, n)
	}
	f, ok := r.to.area.Find(ctx, r.RunID)
	switch {
	case !ok:
		return nil, nil, nil
	case f.Request == "" || f.Request != n.Request:
		err = Faults{{Where: "--run_id", What: fmt.Sprintf("run %s, begun %s, is of another request or another state of the input", r.RunID, f.Begun()), Fix: "name another run, or leave it out"}}
	case f.AtWork || f.Model != nil:
		return &f, nil, nil
	case f.Drawn && r.Again:
		f.Remove(ctx)
		return nil, nil, nil
	case f.Drawn:
		another := "another --run_id begins"
		if r.Ledger != "" {
			another = "--again, or another --run_id, begins"
		}
		err = errors.New("run " + r.RunID + " has ended without a release, and noise had been drawn: count its budget as spent; " + another + " anew and spends again")
	case !f.Ends(ctx): // on an object store nothing tells that it is not at work
		err = errors.New("whether run " + r.RunID + " has drawn noise could not be found out, or it has just now: count its budget as spent; another --run_id begins anew and spends again")
	default: // it had spent nothing, and never will
		f.GiveBack(ctx)
		f.Remove(ctx)
		return nil, nil, nil
	}
	f.Unlock()
	return nil, nil, err
}

// leave gives back what the run held, and removes its staging unless that is kept.
func (c *claim) leave(ctx context.Context) {
	if c.spill != nil {
		_ = c.spill.Close() // what could not be removed has no key any more
	}
	if c.keep {
		c.staging.Unlock()
	} else {
		c.staging.Remove(ctx)
	}
}

// unstarted is the error of a run whose output cannot be written.
func (c *claim) unstarted(ctx context.Context, err error) error {
	if !IsRequest(err) {
		c.keep, err = c.staging.Ending(ctx, c.note, stopped(ctx, err))
	}
	return err
}

// A release is paid for once it is drawn. If its publication fails it is kept in the staging, and the next run
// of the same request on the same table publishes it, without a look at the table. That costs no privacy,
// whatever has become of the table; the request and the state of the input are compared so that nobody gets
// rows of another table than was asked for.

// note returns the note of a run of this request.
func (r *Request) note(runID string) run.Note {
	return run.Note{Version: buildinfo.Version(), RunID: runID, Request: r.fingerprint(), Input: absolute(r.Input), Output: absolute(r.Output), Began: time.Now().UTC().Truncate(time.Second),
		Ledger: absolute(r.Ledger), Key: rand.Text(), Once: r.once(r.RunID), Again: r.Again}
}

// once names the run of an ID in a budget book, or the finding of its domain; empty if the request has none.
func (c Config) once(id string) string {
	if c.RunID == "" {
		return ""
	}
	return book.RunKey(id, absolute(c.Output)+"\n"+absolute(c.Release))
}

// absolute returns a name that means the same in every working directory.
func absolute(name string) string {
	if name == "" || files.Remote(name) {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// fingerprint is a hash of everything that a release of this request depends on: the state of the input and how
// it is read, the domain, what is measured, and at what price. Where rows go and how many are no part of it.
// It is empty if a later run could not tell whether the input is the same.
func (r *Request) fingerprint() string {
	input, known := r.source.Identity()
	if r.people != nil && known {
		var people string
		people, known = r.people.Identity()
		input += "\n" + people
	}
	if !known {
		return ""
	}
	return wire.Hash(wire.JSON(struct {
		Version      string
		Input        string
		CSV          schema.CSV
		Domain       *domain.Domain
		Workload     query.Workload
		Neighbouring dp.Neighbouring
		Epsilon      dp.Epsilon
		Delta        dp.Delta
		Method       string
		Units        float64
		MemoryLimit  int64
		Strict       bool
		Criteria     solver.Criteria
		ErrorShare   dp.Share
		Prior        *accountant.Prior `json:",omitempty"`
	}{
		"dapple request 1", input, r.File.CSV, r.File.Domain, r.Problem.Workload, r.Neighbouring,
		r.Epsilon, r.Delta, r.Chosen.Name, r.Problem.Units, r.MemoryLimit, r.Strict, r.Problem.Criteria, r.Problem.ErrorShare, r.prior(),
	}))
}
