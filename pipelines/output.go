package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/report"
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
	if isTable(r.Output) {
		return &loadedTable{
			Sink: r.target().sink(runID, r.File.Domain), Stage: st.rows(runID, r.Shards), description: said,
			Release: dirsink.Dir{Path: r.Release, RunID: runID, Overwrite: r.Overwrite},
		}
	}
	d := &directory{
		Rows:   dirsink.Dir{Path: r.Output, RunID: runID, Shards: r.Shards, Extension: r.Format, Overwrite: r.Overwrite},
		Format: r.Format, description: said,
	}
	if files.Clean(r.Release) != files.Clean(r.Output) {
		d.Release = dirsink.Dir{Path: r.Release, RunID: runID, Overwrite: r.Overwrite}
	}
	return d
}

// output returns where the rows of a sampling go.
func (r *SampleRequest) output(runID string, st staging) output {
	said := description{Public: query.Frame{Domain: r.file.Domain}, RowsAsked: r.Rows}
	if isTable(r.Output) {
		return &loadedTable{Sink: r.target().sink(runID, &r.file.Domain), Stage: st.rows(runID, r.Shards), description: said, model: fingerprint(r.model)}
	}
	return &directory{
		Rows:   dirsink.Dir{Path: r.Output, RunID: runID, Shards: r.Shards, Extension: r.Format, Overwrite: r.Overwrite},
		Format: r.Format, description: said,
	}
}

func (d *directory) run() string { return d.Rows.RunID }

func (d *directory) prepare(ctx context.Context) error {
	for _, dir := range d.dirs() {
		if _, err := os.Stat(dir.Path); !files.Remote(dir.Path) && errors.Is(err, os.ErrNotExist) {
			d.made = append(d.made, dir.Path)
		}
		if err := dir.Prepare(ctx); err != nil {
			return Faults{{Where: d.flag(dir), What: plainError(err)}}
		}
	}
	return nil
}

func (d *directory) hold() (release func(), err error) { return holdAll(d.dirs()...) }

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

// flag names what chooses a directory.
func (d *directory) flag(dir dirsink.Dir) string {
	if dir.Path == d.Release.Path {
		return "--release"
	}
	return "--output"
}

// dirs returns the directories in the order of their publication.
func (d *directory) dirs() []dirsink.Dir {
	if d.Release.Path != "" {
		return []dirsink.Dir{d.Release, d.Rows}
	}
	return []dirsink.Dir{d.Rows}
}

func (d *directory) published(ctx context.Context) bool {
	m, err := dirsink.ReadManifest(ctx, d.Rows.Path)
	return err == nil && m.RunID == d.Rows.RunID
}

func (d *directory) abandon(ctx context.Context) (kept string, err error) {
	var errs []error
	for _, dir := range d.dirs() {
		errs = append(errs, dir.Abandon(ctx, privacyFile, modelFile, marginalsFile))
	}
	for _, dir := range d.made {
		_ = os.Remove(dir) // it is not empty where somebody else has put something there
	}
	return "", errors.Join(errs...)
}

func (d *directory) unfinished() string {
	return "the output was being published: its manifest is there if it is complete"
}

func (d *directory) written(ctx context.Context) (report.Written, error) {
	m, err := dirsink.ReadManifest(ctx, d.Rows.Path)
	if err != nil {
		return report.Written{}, err
	}
	w := report.Written{Output: d.Rows.Path, Format: d.Format, Files: len(m.Parts), Rows: m.Rows}
	if left, err := d.Rows.Leftovers(ctx); err == nil { // the rows are there all the same
		w.Notes = leftRows(d.Rows.Path, left)
	}
	if d.Describe {
		w.Release = d.Rows.Path
		if d.Release.Path != "" {
			w.Release = d.Release.Path
		}
	}
	for _, p := range m.Parts {
		w.Bytes += p.Bytes
	}
	return w, nil
}

// checkOutput refuses a directory that holds anything, before any budget is spent. Staged files of a
// run that was killed are no output, and do not count.
func checkOutput(ctx context.Context, flag, dir string, overwrite bool, f *Faults) {
	if dir == "" {
		if flag == "--output" {
			f.add(flag, "is required: a directory for the rows", "")
		}
		return
	}
	if err := files.CheckName(dir); err != nil {
		f.add(flag, err.Error(), "")
		return
	}
	if !files.Remote(dir) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, os.ErrNotExist):
			if to, linkErr := os.Readlink(dir); linkErr == nil {
				f.add(flag, fmt.Sprintf("%s is a link to %s, which is not there", dir, to), "make that directory, or name another")
			}
			return
		case err != nil:
			f.add(flag, plainPathError(err), "name a directory that can be made")
			return
		case !info.IsDir():
			f.add(flag, fmt.Sprintf("%s is a file", dir), "name a directory")
			return
		}
	}
	checkFree(ctx, flag, dir, overwrite, f)
}

// checkFree applies the sink's own rule.
func checkFree(ctx context.Context, flag, dir string, overwrite bool, f *Faults) {
	err := dirsink.Dir{Path: dir, RunID: "check", Overwrite: overwrite}.Check(ctx)
	switch {
	case err == nil:
	case errors.Is(err, dirsink.ErrFinished):
		f.add(flag, fmt.Sprintf("%s %v", dir, dirsink.ErrFinished), "set --overwrite, or name another directory")
	case errors.Is(err, dirsink.ErrCutOff):
		f.add(flag, fmt.Sprintf("%s %v", dir, dirsink.ErrCutOff), "set --overwrite to replace it, or name another directory; what a synth run that was cut off has released counts as spent")
	case errors.Is(err, dirsink.ErrClaimed):
		f.add(flag, fmt.Sprintf("%s %v", dir, dirsink.ErrClaimed), "wait for it, or set --overwrite if no run is at work")
	case errors.Is(err, dirsink.ErrForeign):
		f.add(flag, fmt.Sprintf("%s is not empty", dir), "set --overwrite, or name another directory")
	default:
		f.add(flag, plainError(err), "")
	}
}
