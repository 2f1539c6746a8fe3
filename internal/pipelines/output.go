package pipelines

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/model/dry"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// output is the target of the rows of one run, with the description of what goes with them. Its exported fields are
// plain data, from which workers make it anew.
type output struct {
	publish.Output
	StopDir string // staging through which workers in other processes are stopped; empty without such workers

	model string // fingerprint of the model; empty: the released statement's
	table bool   // rows go to a table
	gate  *run.Gate
}

// opened makes the sink of the target.
func (o *output) opened() *output {
	o.Open()
	o.table = isTable(o.Target.Output)
	return o
}

// output returns the targets of the run's rows and released files. A directory of the staging is for rows that are
// not loaded yet.
func (r *Request) output(runID string, st run.Staging, began time.Time) *output {
	form := r.source.Form(r.File.CSV)
	at, format := publish.RowsAt(r.Output, r.Format)
	found := cmp.Or(r.found, &finding{})
	stopDir := ""
	if r.Engine.runner.Elsewhere {
		stopDir = st.Dir
	}
	return (&output{StopDir: stopDir, Output: publish.Output{Target: r.to.in(runID, st.Dir), Description: publish.Description{
		Public:    query.Frame{Domain: *r.File.Domain, Workload: r.Problem.Workload},
		RowsAsked: r.Rows, Tables: r.Tables, Describe: true, Criteria: r.Problem.Criteria, CriteriaWithin: r.within, Book: r.book(),
		DomainText: found.text, Queries: workload.Names(r.File),
		Told: report.Told{
			RowsAt: at, RowsFormat: format, Strict: r.Strict, TrimID: form.TrimID, NullID: form.NullID, Derived: derivedFacts(r.File), About: r.about, Began: began.Format(time.RFC3339),
			Found: r.foundBefore(), LeftOut: found.left, DidNotFit: found.Found.Misfits(), Table: r.tableHash(), Asked: r.asked, WorkloadTarget: r.File.Target,
		},
	}}}).opened()
}

// output returns the target of the rows of a sampling.
func (r *SampleRequest) output(runID string, st run.Staging) *output {
	to := r.to.in(runID, st.Dir)
	if r.Domain != "" {
		to.Note = dry.Note
	}
	return (&output{model: publish.Fingerprint(r.file.Model), Output: publish.Output{Target: to, Description: publish.Description{
		Public: query.Frame{Domain: r.file.Domain}, RowsAsked: r.Rows, Tables: r.Tables,
	}}}).opened()
}

// derivedFacts lists what a domain file has from the true table, a column each.
func derivedFacts(f *schema.File) (list []string) {
	for _, d := range f.Derived {
		list = append(list, d.String())
	}
	return list
}

// sinkKind is the name under which workers find the sink: DoFns cannot carry it.
const sinkKind = "run"

func init() {
	synth.RegisterSink(sinkKind, func(config string) (synth.Sink, error) {
		var o output
		if err := json.Unmarshal([]byte(config), &o); err != nil {
			return nil, fmt.Errorf("pipelines: sink: %w", err)
		}
		o.opened()
		return &o, nil
	})
}

// ref returns the form in which a DoFn carries the sink.
func (o *output) ref() synth.SinkRef {
	return synth.SinkRef{Kind: sinkKind, Config: publish.Encode(o, &o.Target)}
}

// Create begins a shard, unless the run has been stopped.
func (o *output) Create(ctx context.Context, shard, shards int) (synth.ShardWriter, error) {
	done, err := run.MayPublish(ctx, o.run(), o.StopDir)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := o.Sink.Create(ctx, shard, shards)
	if err != nil {
		return nil, err
	}
	return &shardWriter{s, func() (func(), error) { return run.MayPublish(ctx, o.run(), o.StopDir) }}, nil
}

// shardWriter is a shard of a run that can be stopped.
type shardWriter struct {
	table.Shard
	may func() (done func(), err error) // whether a shard may be made
}

// Commit makes the shard, unless the run has been stopped: nobody would remove it any more.
func (w *shardWriter) Commit() (synth.FileRef, error) {
	done, err := w.may()
	if err != nil {
		w.Abort()
		return synth.FileRef{}, err
	}
	defer done()
	return w.Shard.Commit()
}

// Publish makes the rows visible, and what was released with them.
func (o *output) Publish(ctx context.Context, files []synth.FileRef, a *synth.Artifact) (synth.Published, error) {
	done, err := run.BeginPublication(ctx, o.run(), o.StopDir)
	if err != nil {
		return synth.Published{}, err
	}
	defer done()
	ctx = context.WithoutCancel(ctx) // a run that is told to stop waits for its end
	release, err := o.Release(files, a)
	if err != nil {
		return synth.Published{}, err
	}
	var statement bytes.Buffer
	for i, f := range release.Files {
		if f.Name == publish.PrivacyFile {
			release.Files[i].Write = func(w io.Writer, before []dirsink.File) error {
				statement.Reset()
				return f.Write(io.MultiWriter(w, &statement), before)
			}
		}
	}
	p, err := o.Sink.Publish(ctx, files, release)
	if err == nil && !o.table {
		run.Published(o.run(), run.Outcome{Written: table.Written{Published: p, Release: publish.ReleaseDir(o.Target)}, Statement: statement.Bytes()})
	}
	return p, err
}

// run returns the ID of the run.
func (o *output) run() string { return o.Target.RunID }

// begin prepares the output, so that a run whose output cannot be written fails before any budget is spent. end forgets the run.
func (o *output) begin(ctx context.Context) (end func(), err error) {
	o.gate = run.NewGate(o.run())
	release := func() {}
	if err = o.Sink.Prepare(ctx); err != nil {
		err = Faults{fieldFault(err)}
	} else if release, err = o.Sink.Hold(); err != nil {
		err = fmt.Errorf("pipelines: %w", err)
	}
	if err != nil {
		defer o.gate.Forget()
		_, _, abandonErr := o.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	return func() { release(); o.gate.Forget() }, nil
}

// find looks for what this run has published.
func (o *output) find(ctx context.Context) (table.Written, bool, error) {
	model := o.model
	if model == "" && o.table {
		if p, err := o.statement(ctx); err == nil {
			model = p.Hashes.Model
		}
	}
	return o.Sink.Find(ctx, model)
}

// statement reads what this run has released along with a table.
func (o *output) statement(ctx context.Context) (p report.Privacy, err error) {
	m, err := dirsink.Open(ctx, o.Target.Release)
	if err != nil {
		return p, err
	}
	if m.RunID != o.run() {
		return p, errors.New("pipelines: another run has published there")
	}
	return contents.Statement(ctx, o.Target.Release)
}

// published reports whether the rows, which are published last, are there to be read.
func (o *output) published(ctx context.Context) bool {
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	if run.OutcomeOf(o.run()) != nil {
		return true
	}
	_, found, err := o.find(ctx)
	return err == nil && found
}

// waitForPublication is how long a stopped run waits for a publication that has begun. In directories it ends with all
// files or with none, and soon unless the disk does not answer; a load of a table ends with all rows or with none.
const waitForPublication = time.Minute

// abandon ends a run that has failed: nothing is published any more, and nothing that a reader could take for output stays
// behind. A publication that has begun is waited for: published reports that it has ended well. It returns a description of what
// is kept on purpose and what to do with it; empty: nothing is kept. Released files are kept: they are paid for, and rows from
// them cost nothing more.
func (o *output) abandon(ctx context.Context) (kept string, published bool, err error) {
	if !o.gate.Shut(waitForPublication) {
		return o.Sink.Unfinished(), false, nil
	}
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	if o.published(ctx) {
		return "", true, nil
	}
	t := o.Target
	if o.table && t.Release != "" {
		if _, err := o.statement(ctx); err == nil {
			return fmt.Sprintf("staged files are in %s until you remove them; statement and model are in %s, and load at no privacy cost:\n"+
				"dapple sample --model=%s --output=%s%s", t.Stage, t.Release, files.Join(t.Release, publish.ModelFile), t.Output, o.loadAgain(ctx)), false, nil
		}
	}
	return "", false, o.Sink.Abandon(ctx, publish.PrivacyFile, publish.ModelFile, publish.MarginalsFile, publish.ErrorsFile, publish.AnswersFile, publish.ReportFile, publish.DomainFile)
}

// loadAgain returns the flags with which other rows of the model can be loaded. Of two tables the first may be there alone.
func (o *output) loadAgain(ctx context.Context) (flags string) {
	if o.Tables {
		flags = " --layout=two"
	}
	write := o.Target.Write
	if w, found, _ := o.find(ctx); !found && w.Job != "" {
		write = "truncate"
	}
	if write != "" {
		flags += " --write=" + write
	}
	return flags
}

// written describes what a finished run has written.
func (o *output) written(ctx context.Context) (report.Written, error) {
	found, own, err := o.find(ctx)
	done := run.OutcomeOf(o.run())
	if done != nil {
		found, err = done.Written, nil
	}
	w := report.Written{Release: found.Release, Table: o.table, Wrote: report.Wrote{
		Output: o.Target.Output, Format: o.Target.Format, Job: found.Job, Files: found.Files, Rows: found.Rows, People: found.People, Bytes: found.Bytes, Digest: found.Digest,
	}}
	if w.Table { // the rows are there, whether or not the job can be asked
		if w.Rows < 0 && o.RowsAsked > 0 {
			w.Rows = o.RowsAsked
		}
		return w, nil
	}
	if left, err := (dirsink.Dir{Path: w.Output, Release: w.Release, RunID: o.run()}).Leftovers(ctx); err == nil { // the rows are there all the same
		w.Notes = leftRows(w.Release, left)
	}
	if done != nil && !own {
		w.Notes = append(w.Notes, "another run has replaced this output since: what is there now is not of this run, whose budget is spent all the same")
	}
	return w, err
}

// checkOutput refuses directories that hold anything, before any budget is spent. Staged files of a killed run do not
// count.
func checkOutput(ctx context.Context, t place, f *Faults) {
	d := dirsink.Dir{Release: t.Release, RunID: "check", Overwrite: t.Overwrite}
	if !t.table {
		d.Path = t.Output
	}
	if !checkIsDir("--output", d.Path, f) || !checkIsDir("--release", d.Release, f) {
		return
	}
	if t.finished(ctx) {
		return
	}
	err := d.Check(ctx)
	var taken *dirsink.NotFree
	if !errors.As(err, &taken) {
		*f = append(*f, ErrorFaults(t.flagOf(err), err)...)
		return
	}
	if errors.Is(taken.Why, dirsink.ErrFinished) && t.leftBy(ctx) {
		return // the run that looks into that staging says what becomes of it
	}
	fix := "set --overwrite, or name another directory"
	what := fmt.Sprintf("%s %v", taken.Dir, taken.Why)
	switch {
	case errors.Is(taken.Why, dirsink.ErrCutOff):
		fix = "set --overwrite to replace it, or name another directory; what a synth run that was cut off has released counts as spent, and is published in place of a new release if it is still kept"
	case errors.Is(taken.Why, dirsink.ErrClaimed):
		fix = "wait for it, or set --overwrite if no run is at work"
	case errors.Is(taken.Why, dirsink.ErrForeign):
		what = fmt.Sprintf("%s is not empty", taken.Dir)
	}
	f.add(t.flag(taken.Dir), what, fix)
}

// leftBy reports whether the output is of a run that has ended without removing its staging: the same command asks
// for its result.
func (t place) leftBy(ctx context.Context) (left bool) {
	for _, f := range t.area.Left(ctx) {
		if _, ok := run.FinishedAs(ctx, t.beside, f.RunID); ok {
			left = true
		}
		f.Unlock()
	}
	return left
}

// checkIsDir refuses what is there and is no directory.
func checkIsDir(flag, name string, f *Faults) bool {
	if name == "" {
		return true
	}
	if err := files.CheckName(name); err != nil {
		f.add(flag, err.Error(), "")
		return false
	}
	if files.Remote(name) {
		return true
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if to, linkErr := os.Readlink(name); linkErr == nil {
			f.add(flag, fmt.Sprintf("%s is a link to %s, which is not there", name, to), "make that directory, or name another")
			return false
		}
	case err != nil:
		f.add(flag, errtext.PathText(err), "name a directory that can be made")
		return false
	case !info.IsDir():
		f.add(flag, fmt.Sprintf("%s is a file", name), "name a directory")
		return false
	}
	return true
}
