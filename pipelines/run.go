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
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/beamrun/progress"
	"github.com/dapple-dp/dapple/internal/release/finished"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Result is the result of a finished run.
type Result struct {
	Privacy   report.Privacy
	Written   report.Written
	Submitted string // of a job that nobody waits for: its name, and how to ask again; of a dry run: the request; else empty
}

// WriteText writes the last lines, or that of a job that was submitted.
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
// finished, whether its job is still running, has ended, or has only released.
func Run(ctx context.Context, r *Request) (*Result, error) {
	c, res, err := r.claim(ctx)
	if c == nil {
		return res, err
	}
	defer c.leave(ctx)
	if c.execution, err = startExecution(ctx, c.output); err != nil {
		return nil, c.unstarted(ctx, err)
	}
	defer c.execution.finish()
	return c.settle(ctx, c.execute(ctx))
}

// claim is a run that has its staging: a new one, or one that began earlier and is finished now.
type claim struct {
	launch
	r         *Request
	note      run.Note
	staging   run.Staging
	begun     *run.Leftover // the earlier one; nil: none
	keep      bool          // the staging stays: its release is not published
	charged   bool
	execution *execution
	notes     []string
}

// claim finds what has begun of the request, or begins it. It returns no claim if there is nothing to run.
func (r *Request) claim(ctx context.Context) (*claim, *Result, error) {
	c := &claim{r: r, launch: launch{runID: cmp.Or(r.RunID, rand.Text()), seed: sampleSeed(r.SampleSeed, r.HasSampleSeed)}}
	where := run.AreaOf(r.TempLocation, r.target().beside(), r.scratch)
	c.note = r.note(c.runID)
	if r.Engine.elsewhere() && !files.Remote(where.Dir) {
		if err := os.MkdirAll(where.Dir, 0o777); err != nil {
			return nil, nil, Faults{{Where: "--temp_location", What: cause.PathText(err)}}
		}
	}
	if r.Engine.Cloud.DryRun {
		res, err := r.dry(ctx, c.launch, where, c.note)
		return nil, res, err
	}
	if res, err := r.again(ctx, where); res != nil || err != nil {
		return nil, res, err
	}
	var err error
	if c.begun, c.notes, err = r.resume(ctx, where, c.note); err != nil {
		return nil, nil, asFault(err)
	}
	if c.begun != nil {
		if !c.begun.AtWork {
			if res, err := r.alreadyPublished(ctx, c.begun); res != nil || err != nil {
				return nil, res, err
			}
		}
		c.note, c.runID, c.keep = c.begun.Note, c.begun.Publisher(r.RunID), true
		c.notes = append(c.notes, says(c.begun))
	}
	if c.staging, err = stagingOf(ctx, c.begun, where, c.note); err != nil {
		return nil, nil, err
	}
	c.store, c.output = c.staging.Ref(), r.output(c.runID, c.staging, c.note.Began)
	if r.Engine.here() {
		c.spill = private.NewSpill("")
	}
	return c, nil, nil
}

// says is the note of a run that finishes an earlier one.
func says(f *run.Leftover) string {
	if f.AtWork {
		return fmt.Sprintf("the job is that of the run begun %s: no other was submitted, and no more budget is spent", f.Begun())
	}
	return fmt.Sprintf("the release is that of the run begun %s, which had not published it: the table was not read again, and no more budget is spent", f.Begun())
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

// execute charges the run and does what remains of it.
func (c *claim) execute(ctx context.Context) error {
	charged, err := c.r.charge(ctx, c.note, c.output.Book)
	if c.notes = append(c.notes, charged...); err != nil {
		return err
	}
	if found := c.output.Found; found != nil {
		c.notes = append(c.notes, found.String())
	}
	c.charged = true
	if err := c.work(ctx); err != nil {
		return err
	}
	if c.r.Engine.remote() && !c.execution.published(ctx) {
		return errors.Join(errors.New("the job is done, and its output is not to be seen here: do its workers see the same directories?"), c.stop(ctx))
	}
	return nil
}

// stop keeps the run from all steps that it has not begun.
func (c *claim) stop(ctx context.Context) error {
	return c.staging.Stop(ctx, c.note.RunID, c.runID)
}

// settle says how the run ended: what is published, submitted, kept or spent.
func (c *claim) settle(ctx context.Context, err error) (*Result, error) {
	if err != nil && !c.charged && c.begun != nil { // what was begun is left as it is
		_, _, abandonErr := c.execution.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	if err != nil && !c.execution.published(ctx) {
		if res, err := c.failed(ctx, err); res != nil || err != nil {
			return res, err
		}
		c.notes = append(c.notes, "the run was asked to stop while it published: all of it is published")
	}
	c.keep = false
	res, err := resultOf(ctx, c.r, c.output)
	if res != nil {
		res.Written.Notes = append(res.Written.Notes, c.notes...)
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
	left, published, abandonErr := c.execution.abandon(ctx)
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

// work does what remains of a run: all of it, the rows of a kept release, or waiting for a job.
func (c *claim) work(ctx context.Context) error {
	r := c.r
	x := pipelineRun{
		runner: r.Runner, engine: r.Engine, labels: r.Labels, run: c.runID, submitted: c.staging.Remember, stop: c.stop, dir: c.staging.Dir,
	}
	bytes, whole := r.inputBytes()
	if c.begun != nil || !whole {
		bytes = 0
	}
	m := progress.New(bytes, progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})
	if c.begun != nil && c.begun.AtWork {
		return x.attach(ctx, c.begun.Job, m)
	}
	p, s := beam.NewPipelineWithRoot()
	if c.begun != nil {
		write(s, r, c.launch, synth.SavedIn(s, *c.begun.Model, r.File.Domain, c.store))
	} else {
		build(s, r, c.launch)
	}
	return x.execute(ctx, p, m)
}

// stagingOf returns the staging of a run: that of an earlier one, or a new one.
func stagingOf(ctx context.Context, begun *run.Leftover, where run.Area, n run.Note) (run.Staging, error) {
	if begun != nil {
		return begun.Staging, nil
	}
	st, err := where.Stage(ctx, n.RunID)
	if err != nil {
		return st, asFault(err)
	}
	if err := st.Sign(ctx, n); err != nil {
		_, err = st.Ending(ctx, n, stopped(ctx, err))
		st.Remove(ctx)
		return st, err
	}
	return st, nil
}

// asFault returns an error of a run that cannot begin as it was asked for as a fault of the request; others as they are.
func asFault(err error) error {
	if r, ok := errors.AsType[*run.Refusal](err); ok {
		return Faults{{Where: r.Where, What: cause.Text(r.Err), Fix: r.Fix}}
	}
	return err
}

// execute runs a pipeline on a runner, with progress.
func execute(ctx context.Context, p *beam.Pipeline, runner string, m *progress.Meter) error {
	stop := m.Start()
	defer stop()
	_, err := beam.Run(ctx, runner, p)
	return stopped(ctx, cause.Of(err))
}

// stopped returns an error if a run was interrupted; other errors are then consequences.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
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
		privacy, err = finished.Statement(ctx, r.target().beside())
	}
	if err != nil {
		return nil, err
	}
	written, err := out.written(ctx)
	people := ""
	if r.People != "" {
		people = " --people_input=" + r.People
	}
	written.Width = r.width()
	written.Notes = append(written.Notes, r.betterPlanned(privacy)...)
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
