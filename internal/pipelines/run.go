package pipelines

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/solver/methods"
)

// Result is the result of a finished run.
type Result struct {
	Privacy   report.Privacy
	Written   report.Written
	Submitted string // of a job that nobody waits for: its name, and how to ask again; of a dry run: the request; else empty
}

// WriteText writes the last lines, or the line of a job that was submitted.
func (r *Result) WriteText(w io.Writer) error {
	if r.Submitted != "" {
		_, err := fmt.Fprintln(w, r.Submitted)
		return err
	}
	return report.WriteClosing(w, r.Privacy, r.Written)
}

// JSON returns the same for programs.
func (r *Result) JSON() ([]byte, error) {
	if r.Submitted != "" {
		return report.JSON(report.SynthResult{Format: 1, Submitted: r.Submitted, Notes: []string{}})
	}
	return report.JSON(r.Privacy.Result(r.Written))
}

// Unprinted is the error of a result whose text could not be written.
func (r *Result) Unprinted(err error) error {
	if r.Submitted != "" {
		return fmt.Errorf("%w\nthe run was begun all the same: count its budget as spent; %s", err, r.Submitted)
	}
	return fmt.Errorf("%w\nall is published in %s all the same, with %s: `dapple verify %s` looks at it", err, r.Written.Output, r.Privacy.Guarantee(), cmp.Or(r.Written.Release, r.Written.Output))
}

// Criteria returns ErrCriteria if the model does not meet its criteria.
func (r *Result) Criteria() error {
	if c := r.Privacy.Criteria; c != nil && !c.Met {
		return ErrCriteria
	}
	return nil
}

// Run executes a request: it reads the private table, spends the privacy budget once, and publishes rows, statement
// and model, or nothing. When ctx ends it stops; the error says what was spent. A release whose publication failed is
// kept, and the next run of the same request publishes it. If a run with the same ID has begun before, it is
// finished, whether its job is still running, has ended, or has only released. A fault of prism that costs nothing is met by
// another attempt.
func Run(ctx context.Context, r *Request) (*Result, error) {
	for first := true; ; first = false {
		res, err := r.launch(ctx)
		if first && run.GoesOn(err) {
			continue
		}
		paid, ok := errors.AsType[*book.Paid](err)
		if !ok {
			return res, err
		}
		switch waited := r.to.area.Wait(ctx, r.RunID); { // another launch of this run: it may publish, or draw nothing
		case ctx.Err() != nil:
			return nil, stopped(ctx, err)
		case !waited && !first:
			return nil, unfoundRun(paid.Error())
		}
	}
}

// unfoundRun refuses a run that a budget book has charged and that left nothing.
func unfoundRun(charged string) Faults {
	return Faults{{Where: "--run_id", What: charged + ", and neither its release nor its files are to be found here: its noise may have been drawn",
		Fix: "if it is at work elsewhere, wait: the same command returns its result; else count its budget as spent: --again, or another --run_id, begins anew and spends again"}}
}

// launch is one attempt of a run. Its error is book.Paid if another launch of the same run ID is charged: nothing was drawn.
func (r *Request) launch(ctx context.Context) (*Result, error) {
	c, res, err := r.claim(ctx)
	if c == nil {
		return res, err
	}
	defer c.leave(ctx)
	end, err := c.output.begin(ctx)
	if err != nil {
		return nil, c.unstarted(ctx, err)
	}
	defer end()
	return c.settle(ctx, c.execute(ctx))
}

// settle says how the run ended: what is published, submitted, kept or spent.
func (c *claim) settle(ctx context.Context, err error) (*Result, error) {
	if errors.As(err, new(*book.Paid)) { // what is prepared has the same ID, and is the other launch's
		return nil, err
	}
	if err != nil && !c.charged && c.begun != nil { // what was begun is left as it is
		_, _, abandonErr := c.output.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	if err != nil && !c.output.published(ctx) {
		if res, err := c.failed(ctx, err); res != nil || err != nil {
			return res, err
		}
		c.notes = append(c.notes, "the run was asked to stop while it published: all of it is published")
	}
	c.keep = false
	res, err := resultOf(ctx, c.r, c.output)
	if res != nil {
		res.Written.Adopted, res.Written.Notes = c.adopted, append(res.Written.Notes, c.notes...)
	}
	return res, err
}

// failed ends a run that has published nothing; it returns neither a result nor an error if it has, after all.
func (c *claim) failed(ctx context.Context, err error) (*Result, error) {
	if sub := (*detached)(nil); errors.As(err, &sub) {
		c.keep = true
		return &Result{Submitted: c.r.submission(c.note, sub.Job)}, nil
	}
	if running := (*jobStillRunning)(nil); errors.As(err, &running) {
		c.keep = true
		return nil, fmt.Errorf("%w\nnothing is removed; `--run_id=%s` with the same flags asks again, and pays nothing twice; until then %s is private", err, c.note.RunID, c.staging.Dir)
	}
	left, published, abandonErr := c.output.abandon(ctx)
	switch err = errors.Join(err, abandonErr); {
	case left != "":
		c.keep = true
		return nil, fmt.Errorf("%w\n%s", err, left)
	case !published:
		c.keep, err = c.staging.Ending(ctx, c.note, err)
		return nil, err
	}
	return nil, nil
}

// submission tells what was submitted, and how to ask for its result.
func (r *Request) submission(n run.Note, j run.Job) string {
	if j.ID == run.Unlaunched {
		return fmt.Sprintf("written    %s, the job of run %s; launch it once: a second job of it adds nothing\nthe same command with --run_id=%s looks for its result, and pays nothing twice; count its budget as spent",
			r.Engine.Cloud.Template, n.RunID, n.RunID)
	}
	return fmt.Sprintf("submitted  job %s at %s, run %s\nthe same command with --run_id=%s waits for its end, and pays nothing twice; count its budget as spent",
		j.ID, j.Endpoint, n.RunID, n.RunID)
}

// resultOf reads back what was published.
func resultOf(ctx context.Context, r *Request, out *output) (*Result, error) {
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	var privacy report.Privacy
	var err error
	if done := run.OutcomeOf(out.run()); done != nil && len(done.Statement) > 0 {
		privacy, err = report.ParsePrivacy(bytes.TrimSpace(done.Statement))
	} else {
		privacy, err = contents.Statement(ctx, r.to.beside)
	}
	if err != nil {
		return nil, err
	}
	written, err := out.written(ctx)
	people := ""
	if r.People != "" {
		people = " --people_input=" + r.People
	}
	written.Width = methods.Widest(r.Problem.Workload)
	written.Notes = slices.Concat(written.Notes, r.betterPlanned(privacy), plan.ForgottenNotes(r.forgotten))
	written.Notes = append(written.Notes, relation.RunOut(r.File.Domain, written.Rows)...)
	written.Compare = fmt.Sprintf("dapple evaluate %s %s %s%s --html=compared.html", r.Domain, r.Input, r.Output, people)
	return &Result{Privacy: privacy, Written: written}, err
}

// sampleSeed returns the requested seed, or a random one. Privacy does not depend on it.
func sampleSeed(seed uint64, given bool) uint64 {
	if given {
		return seed
	}
	var b [8]byte
	rand.Read(b[:]) // never fails: the program ends if there is no randomness
	return binary.LittleEndian.Uint64(b[:])
}
