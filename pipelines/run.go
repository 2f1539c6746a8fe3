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

	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
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
	l := launch{runID: cmp.Or(r.RunID, rand.Text()), seed: sampleSeed(r.SampleSeed, r.HasSampleSeed)}
	n, where := r.note(l.runID), stagingAreaOf(r.TempLocation, r.target().beside(), r.scratch)
	if r.Engine.elsewhere() && !files.Remote(where.dir) {
		if err := os.MkdirAll(where.dir, 0o777); err != nil {
			return nil, Faults{{Where: "--temp_location", What: plainPathError(err)}}
		}
	}
	if r.Engine.Cloud.DryRun {
		return r.dry(ctx, l, where, n)
	}
	if res, err := r.again(ctx, where); res != nil || err != nil {
		return res, err
	}
	begun, notes, err := r.takeUp(ctx, where, n)
	if err != nil {
		return nil, err
	}
	if begun != nil && !begun.atWork {
		if res, err := r.alreadyPublished(ctx, begun); res != nil || err != nil {
			return res, err
		}
	}
	var kept *found
	if begun != nil {
		n = begun.note
		if l.runID = begun.publisher(r.RunID); !begun.atWork {
			kept = begun
			notes = append(notes, fmt.Sprintf("the release is that of the run begun %s, which had not published it: the table was not read again, and no more budget is spent",
				n.Began.Format("2006-01-02 15:04:05 UTC")))
		} else {
			notes = append(notes, fmt.Sprintf("the job is that of the run begun %s: no other was submitted, and no more budget is spent", n.Began.Format("2006-01-02 15:04:05 UTC")))
		}
	}
	st, err := stagingOf(ctx, begun, where, n)
	if err != nil {
		return nil, err
	}
	keep := begun != nil // until its release is published
	defer func() {
		if keep {
			st.unlock()
		} else {
			st.remove(ctx)
		}
	}()
	l.store, l.output = st.ref(), r.output(l.runID, st, n.Began)
	if r.Engine.here() {
		l.spill = private.NewSpill("")
		defer func() { _ = l.spill.Close() }() // what could not be removed has no key any more
	}
	a, err := startExecution(ctx, l.output)
	if err != nil && !IsRequest(err) {
		keep, err = st.ending(ctx, n, stopped(ctx, err))
	}
	if err != nil {
		return nil, err
	}
	defer a.finish()
	charged, err := r.charge(ctx, n, l.output.Book)
	if err != nil && begun != nil { // what was begun is left as it is
		_, _, abandonErr := a.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	if notes = append(notes, charged...); err == nil {
		err = r.work(ctx, l, n, st, begun, kept)
	}
	if err == nil && r.Engine.remote() && !a.published(ctx) {
		err = errors.Join(errors.New("the job is done, and its output is not to be seen here: do its workers see the same directories?"), st.stop(ctx, n.RunID, l.runID))
	}
	if err != nil && !a.published(ctx) {
		if sub := (*detached)(nil); errors.As(err, &sub) {
			keep = true
			return &Result{Submitted: r.submission(n, sub.job)}, nil
		}
		if on := (*goesOn)(nil); errors.As(err, &on) {
			keep = true
			return nil, fmt.Errorf("%w\nnothing is removed; `--run_id=%s` with the same flags asks again, and pays nothing twice; until then %s is private", err, n.RunID, st.dir)
		}
		left, published, abandonErr := a.abandon(ctx)
		switch err = errors.Join(err, abandonErr); {
		case left != "":
			keep = true
			return nil, fmt.Errorf("%w\n%s", err, left)
		case !published:
			keep, err = st.ending(ctx, n, err)
			return nil, err
		}
		notes = append(notes, "the run was told to stop while it published: all of it is published")
	}
	keep = false
	res, err := finished(ctx, r, l.output)
	if res != nil {
		res.Written.Notes = append(res.Written.Notes, notes...)
	}
	return res, err
}

// work does what remains of a run: all of it, the rows of a kept release, or waiting for a job.
func (r *Request) work(ctx context.Context, l launch, n note, st staging, begun, kept *found) error {
	x := pipelineRun{
		runner: r.Runner, engine: r.Engine, labels: r.Labels, run: l.runID, submitted: st.remember,
		stop: func(ctx context.Context) error { return st.stop(ctx, n.RunID, l.runID) }, dir: st.dir,
	}
	bytes, whole := r.inputBytes()
	if begun != nil || !whole {
		bytes = 0
	}
	m := newMeter(meterForm{r.Progress, r.Terminal, r.LogJSON}, bytes)
	if begun != nil && begun.atWork {
		return x.attach(ctx, begun.job, m)
	}
	p, s := beam.NewPipelineWithRoot()
	if kept != nil {
		write(s, r, l, synth.SavedIn(s, *kept.model, r.File.Domain, l.store))
	} else {
		build(s, r, l)
	}
	return x.execute(ctx, p, m)
}

// stagingOf returns the staging of a run: that of an earlier one, or a new one.
func stagingOf(ctx context.Context, kept *found, where stagingArea, n note) (staging, error) {
	if kept != nil {
		return kept.staging, nil
	}
	st, err := where.stage(ctx, n.RunID)
	if err != nil {
		return st, err
	}
	if err := st.sign(ctx, n); err != nil {
		_, err = st.ending(ctx, n, stopped(ctx, err))
		st.remove(ctx)
		return st, err
	}
	return st, nil
}

// execute runs a pipeline on a runner, with progress.
func execute(ctx context.Context, p *beam.Pipeline, runner string, m *meter) error {
	stop := m.start()
	defer stop()
	_, err := beam.Run(ctx, runner, p)
	return stopped(ctx, rootCause(err))
}

// stopped returns an error if a run was interrupted; other errors are then consequences.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// finished reads back what was published.
func finished(ctx context.Context, r *Request, out *output) (*Result, error) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	var privacy report.Privacy
	var err error
	if done := outcomeOf(out.run()); done != nil && len(done.statement) > 0 {
		privacy, err = report.ParsePrivacy(bytes.TrimSpace(done.statement))
	} else {
		privacy, err = released(ctx, r.target().beside())
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

// released reads the statement of a released directory.
func released(ctx context.Context, dir string) (report.Privacy, error) {
	b, err := files.ReadAll(ctx, files.Join(dir, publish.PrivacyFile), maxPublicFile)
	if err != nil {
		return report.Privacy{}, fmt.Errorf("pipelines: %w", err)
	}
	return report.ParsePrivacy(bytes.TrimSpace(b))
}

// maxPublicFile is the largest statement that is read, in bytes.
const maxPublicFile = 256 << 20

// sampleSeed returns the requested seed, or a random one. Privacy does not depend on it.
func sampleSeed(seed uint64, given bool) uint64 {
	if given {
		return seed
	}
	var b [8]byte
	rand.Read(b[:]) // never fails: the program ends if there is no randomness
	return binary.LittleEndian.Uint64(b[:])
}
