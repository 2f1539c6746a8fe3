package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// output is where the rows of one run go, as the launching process sees it. What workers need travels
// in the reference to a sink.
type output interface {
	// run returns the ID of the run.
	run() string
	// ref returns the form in which a DoFn carries the sink.
	ref() synth.SinkRef
	// prepare finds out, before any budget is spent, whether the output can be written to.
	prepare(ctx context.Context) error
	// hold tells other runs that this one is at work until release is called.
	hold() (release func(), err error)
	// published reports whether the rows, which come last, are there to be read.
	published(ctx context.Context) bool
	// abandon removes what a run has left without finishing, and says what it keeps on purpose and what to
	// do with it; empty: it keeps nothing. Nothing of the run may be at work any more.
	abandon(ctx context.Context) (kept string, err error)
	// unfinished says where to look for the end of a publication that could not be waited for.
	unfinished() string
	// written says what a finished run has written.
	written(ctx context.Context) (report.Written, error)
}

// output returns where the run's rows and released files go. A directory of the staging is for rows that
// are not loaded yet.
func (r *Request) output(runID string, st staging) output {
	said := description{Public: query.Frame{Domain: *r.File.Domain, Workload: r.Problem.Workload}, RowsAsked: r.Rows, Describe: true, Strict: r.Strict}
	if t, ok := r.source.(*table.Files); ok && !t.Parquet {
		said.TrimID, said.NullID = r.File.CSV.TrimID, r.File.CSV.NullID
	}
	said.RowsAt, said.RowsFormat = rowsAt(r.Output, r.Format)
	if isTable(r.Output) {
		return &loadedTable{
			Sink: r.target().sink(runID, r.File.Domain.Written()), Stage: st.rows(runID, r.Shards), description: said,
			Release: dirsink.Dir{Release: r.Release, RunID: runID, Overwrite: r.Overwrite},
		}
	}
	return &directory{
		Dir:    dirsink.Dir{Path: r.Output, Release: r.Release, RunID: runID, Shards: r.Shards, Extension: r.Format, Overwrite: r.Overwrite},
		Format: r.Format, Null: r.Null, description: said,
	}
}

// rowsAt is how the statement names the place of the rows: a directory of this machine by its name alone.
func rowsAt(output, format string) (at, inFormat string) {
	switch {
	case isTable(output):
		return output, ""
	case files.Remote(output):
		return files.Clean(output), format
	}
	return filepath.Base(absolute(output)), format
}

// output returns where the rows of a sampling go.
func (r *SampleRequest) output(runID string, st staging) output {
	said := description{Public: query.Frame{Domain: r.file.Domain}, RowsAsked: r.Rows}
	if isTable(r.Output) {
		return &loadedTable{Sink: r.target().sink(runID, r.file.Domain.Written()), Stage: st.rows(runID, r.Shards), description: said, model: fingerprint(r.model)}
	}
	note := ""
	if r.Domain != "" {
		note = dryNote
	}
	return &directory{
		Dir:    dirsink.Dir{Path: r.Output, RunID: runID, Shards: r.Shards, Extension: r.Format, Overwrite: r.Overwrite, Note: note},
		Format: r.Format, Null: r.Null, description: said,
	}
}

func (d *directory) run() string { return d.Dir.RunID }

func (d *directory) prepare(ctx context.Context) error {
	for _, dir := range d.dirs() {
		if _, err := os.Stat(dir); !files.Remote(dir) && errors.Is(err, os.ErrNotExist) {
			d.made = append(d.made, dir)
		}
	}
	if err := d.Dir.Prepare(ctx); err != nil {
		return Faults{{Where: "--output", What: plainError(err)}}
	}
	return nil
}

func (d *directory) hold() (release func(), err error) { return d.Dir.Hold() }

// holdAll holds directories that have been prepared.
func holdAll(dirs ...dirsink.Dir) (release func(), err error) {
	var held []func()
	release = func() {
		for _, f := range held {
			f()
		}
	}
	for _, dir := range dirs {
		f, err := dir.Hold()
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, f)
	}
	return release, nil
}

// dirs returns the directory of the rows and that of everything else.
func (d *directory) dirs() []string {
	release := d.Dir.Release
	if release == "" {
		release, _ = dirsink.Beside(d.Dir.Path) // a request without one was refused
	}
	return []string{d.Dir.Path, release}
}

func (d *directory) published(ctx context.Context) bool {
	o, err := dirsink.Open(ctx, d.dirs()[1])
	return err == nil && o.RunID == d.Dir.RunID
}

func (d *directory) abandon(ctx context.Context) (kept string, err error) {
	err = d.Dir.Abandon(ctx, privacyFile, modelFile, marginalsFile, reportFile)
	for _, dir := range d.made {
		_ = os.Remove(dir) // it is not empty if somebody else has put something there
	}
	return "", err
}

func (d *directory) unfinished() string {
	return "the output was being published: its manifest is there if it is complete"
}

func (d *directory) written(ctx context.Context) (report.Written, error) {
	dirs := d.dirs()
	o, err := dirsink.Open(ctx, dirs[1])
	if err != nil {
		return report.Written{}, err
	}
	w := report.Written{Output: d.Dir.Path, Release: dirs[1], Format: d.Format, Files: len(o.Parts), Rows: o.Rows, Digest: o.SHA256}
	if left, err := d.Dir.Leftovers(ctx); err == nil { // the rows are there all the same
		w.Notes = leftRows(dirs[1], left)
	}
	for _, p := range o.Parts {
		w.Bytes += p.Bytes
	}
	return w, nil
}

// checkOutput refuses directories that hold anything, before any budget is spent. Staged files of a run
// that was killed are no output, and do not count.
func checkOutput(ctx context.Context, t target, f *Faults) {
	d := dirsink.Dir{Release: t.release, RunID: "check", Overwrite: t.overwrite}
	if !isTable(t.output) {
		d.Path = t.output
	}
	if !checkIsDir("--output", d.Path, f) || !checkIsDir("--release", d.Release, f) {
		return
	}
	err := d.Check(ctx)
	var taken *dirsink.NotFree
	if !errors.As(err, &taken) {
		*f = append(*f, ErrorFaults(t.flagOf(err), err)...)
		return
	}
	fix := "set --overwrite, or name another directory"
	what := fmt.Sprintf("%s %v", taken.Dir, taken.Why)
	switch {
	case errors.Is(taken.Why, dirsink.ErrCutOff):
		fix = "set --overwrite to replace it, or name another directory; what a synth run that was cut off has released counts as spent"
	case errors.Is(taken.Why, dirsink.ErrClaimed):
		fix = "wait for it, or set --overwrite if no run is at work"
	case errors.Is(taken.Why, dirsink.ErrForeign):
		what = fmt.Sprintf("%s is not empty", taken.Dir)
	}
	f.add(t.flag(taken.Dir), what, fix)
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
		f.add(flag, plainPathError(err), "name a directory that can be made")
		return false
	case !info.IsDir():
		f.add(flag, fmt.Sprintf("%s is a file", name), "name a directory")
		return false
	}
	return true
}
