package pipelines

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/request/plan"
)

// place is where the rows of a request go, with what is released beside them and what is not published yet. The first lines of a
// request resolve it.
type place struct {
	table.Target
	table    bool     // the rows go to a table, and not to a directory
	releases bool     // there are released files
	run      string   // ID of a run that may have published there already
	beside   string   // directory of the released files, or of the manifest; empty: none
	scratch  string   // directory for temporary files: of this machine, or one that all workers see
	area     run.Area // of the staging
}

// placeOf resolves a target on an engine.
func placeOf(to table.Target, store, runID string, releases bool, e Engine) place {
	p := place{Target: to, releases: releases, run: runID, beside: publish.ReleaseDir(to), scratch: cmp.Or(e.temp, os.TempDir())}
	if p.table = isTable(to.Output); p.table {
		p.Shards = orDefault(p.Shards, publish.DefaultShards)
	}
	switch {
	case e.runner.Elsewhere:
		p.scratch = cmp.Or(store, filepath.Dir(p.beside))
	case releases && p.beside != "" && !files.Remote(p.beside) && files.InMemory(p.scratch) && !files.InMemory(absolute(p.beside)):
		p.scratch = filepath.Dir(absolute(p.beside)) // what is paid for outlives a power cut
	}
	p.area = run.AreaOf(store, p.beside, p.scratch)
	return p
}

// isTable reports whether a name means a table, and not a file or a directory.
func isTable(name string) bool {
	_, ok := table.PlaceOf(name)
	return ok
}

func (c *Config) place() place {
	return placeOf(table.Target{
		Output: c.Output, Format: c.Format, Null: c.Null, Write: c.Write, Labels: c.Labels, Release: c.Release, Overwrite: c.Overwrite, Shards: c.Shards, Services: c.Services,
	}, c.Store, c.RunID, true, c.Engine)
}

func (c *SampleConfig) place() place {
	return placeOf(table.Target{
		Output: c.Output, Format: c.Format, Null: c.Null, Write: c.Write, Labels: c.Labels, Overwrite: c.Overwrite, Shards: c.Shards, Services: c.Services,
	}, c.Store, "", false, Engine{})
}

// in returns the target of one run, with a staging of its own.
func (t place) in(runID, stage string) table.Target {
	to := t.Target
	to.RunID, to.Stage = runID, files.Join(stage, "rows")
	return to
}

// check refuses flags that contradict each other, and directories that are not free.
func (t place) check(ctx context.Context, f *Faults) {
	if !t.table {
		t.checkDirectory(ctx, f)
		if t.Write != "" {
			f.add("--write", "is for tables of BigQuery", "use --overwrite for a directory")
		}
		return
	}
	for _, fault := range t.placeFaults() {
		*f = append(*f, fieldFault(fault))
	}
	if t.Format != "parquet" {
		f.add("--format", "is for directories", "leave it out: rows are staged as Parquet")
	}
	switch {
	case t.releases && t.Release == "":
		f.add("--release", "is required if the rows go to a table: the directory for statement and model", "")
	case isTable(t.Release):
		f.add("--release", fmt.Sprintf("got %q; want a directory", t.Release), "")
	case !t.releases && t.Overwrite:
		f.add("--overwrite", "is for directories", "use --write=truncate for a table")
	case t.releases:
		checkOutput(ctx, t, f)
	}
}

// checkDirectory checks the directory of the rows, and the one of everything else.
func (t place) checkDirectory(ctx context.Context, f *Faults) {
	_, err := dirsink.Beside(t.Output)
	switch {
	case t.Output == "":
		f.add("--output", "is required: a directory for the rows", "")
	case t.Release == "" && err != nil && t.releases:
		f.add("--release", fmt.Sprintf("is required, since --output: %v", err), "name a directory for statement and model")
	case t.Release == "" && err != nil:
		f.add("--output", err.Error(), "name a directory by its own name")
	default:
		checkOutput(ctx, t, f)
	}
	if ending := strings.TrimPrefix(path.Ext(files.Clean(t.Output)), "."); ending != t.Format && slices.Contains(table.Writable(defaultFormat), ending) {
		f.add("--output", fmt.Sprintf("%s ends in .%s, and its files would be %s", t.Output, ending, t.Format), "add --format="+ending+", or give the directory another name")
	}
}

// finished reports whether the run has published there already: the directory need not be free then.
func (t place) finished(ctx context.Context) bool {
	_, ok := run.FinishedAs(ctx, t.beside, t.run)
	return ok
}

// flag returns the flag that sets the directory.
func (t place) flag(dir string) string {
	if t.Release != "" && files.Clean(dir) == files.Clean(t.Release) || t.table {
		return "--release"
	}
	return "--output"
}

// flagOf is flag for an error that names the directory.
func (t place) flagOf(err error) string {
	if t.Release != "" && !strings.Contains(fmt.Sprint(err), files.Clean(t.Output)) {
		return "--release"
	}
	return "--output"
}

// placeFaults finds the faults in the name of a table and in the way its rows are written.
func (t place) placeFaults() []*table.FieldError {
	place, ok := table.PlaceOf(t.Output)
	if !ok {
		return nil
	}
	return place.Target(t.in("check", t.area.Dir))
}

// checkFormat refuses data that files of the format cannot hold, before any budget is spent.
func (t place) checkFormat(d *domain.Domain, f *Faults) {
	format, known := table.FormatOf(t.Format)
	if t.table || !known || !format.Text {
		if t.Null != "" {
			f.add("--null", "is for --format=csv", "leave it out")
		}
		return
	}
	if format.CheckOutput == nil {
		return
	}
	for _, err := range errtext.Each(format.CheckOutput(d, t.Null)) {
		f.add("--format", errtext.Text(err), "")
	}
}

// checkFiles refuses numbers of files, and formats that cannot be written.
func checkFiles(shards int, name string, f *Faults) {
	if shards < 0 || shards > MaxShards {
		f.add("--shards", fmt.Sprintf("got %d; want 1 to %d", shards, MaxShards), "")
	}
	if why := table.NotWritten(name); why != "" {
		f.add("--format", why, "")
	} else if known := table.Writable(defaultFormat); !slices.Contains(known, name) {
		f.add("--format", fmt.Sprintf("got %q; want %s", name, strings.Join(known, " or ")), "")
	}
}

// defaultFormat is the default format of written files.
const defaultFormat = "parquet"

// checkTable refuses a table that cannot be written, before any budget is spent. Its name and the way to write have
// been checked before.
func (t place) checkTable(ctx context.Context, rows, people *domain.Domain, f *Faults) {
	if !t.table || len(t.placeFaults()) > 0 || t.finished(ctx) {
		return
	}
	to := t.in("check", "")
	to.Domain, to.People = rows, people
	for _, err := range errtext.Each(table.OpenSink(to).Check(ctx)) {
		f.add("--output", tableError(err), "")
	}
}

// tableError returns the text of a sink's error, with the names of flags.
func tableError(err error) string {
	return strings.ReplaceAll(errtext.Text(err), "set write=", "set --write=")
}

// checkLayout refuses what the target cannot hold of one table or two, before any budget is spent.
func checkLayout(ctx context.Context, t place, d *domain.Domain, two bool, f *Faults) {
	if two && d.Events == nil {
		f.add("--layout", "got two, and the domain file declares no events: there is one row for each person, and one table", "declare events, or leave it out")
		return
	}
	if d.Events != nil && t.Write == "append" {
		f.add("--write", "append would mix up people: every run numbers them from 1, and rows of two runs would have the same numbers",
			"name another table, or replace what is there with --write=truncate")
		return
	}
	rows, people := publish.Tables(d, two)
	if t.Output != "" {
		t.checkTable(ctx, rows, people, f)
	}
	t.checkFormat(rows, f)
	if people != nil {
		t.checkFormat(people, f)
	}
}

// notes returns the lines of a plan on the tables of places.
func (r *Request) notes() (lines []string) {
	if r.source != nil { // a plan needs no input
		if note := r.source.Note(); note != "" {
			lines = append(lines, "input     "+note)
		}
	}
	to := r.to.in("plan", r.to.area.Dir)
	to.Domain, to.People = publish.Tables(r.File.Domain, r.Tables)
	if note := table.OpenSink(to).Note(); note != "" {
		lines = append(lines, "output    "+note)
	}
	if len(r.Problem.Criteria.Limits) > 0 {
		lines = append(lines, r.criteriaNote())
	}
	return lines
}

// need is a lower bound on what a run will write to a directory of this machine.
type need struct {
	flag, dir, what string
	bytes, names    int64
}

// checkSpace refuses a request whose output does not fit the disks of this machine, before any budget is spent. It
// uses the plan's estimate, without the parts that a plan does not know.
func checkSpace(r *Request, f *Faults) {
	if r.File == nil || r.Chosen.Name == "" {
		return
	}
	*f = append(*f, shortages(r.needs(), files.Space)...)
}

// heldModel bounds the cells of a domain whose model every method holds cell by cell.
const heldModel = 1 << 20

// needs lists the directories with what is written to them.
func (r *Request) needs() (list []need) {
	model := int64(0)
	if _, cells, _ := r.Problem.Domain.Universe(); cells <= heldModel {
		model = 8 * int64(cells)
	}
	_, bytes := plan.Written(r.Problem, r.Rows)
	rows, parts := int64(bytes), int64(orDefault(r.Shards, publish.DefaultShards))
	release, staging := r.to.beside, r.to.area
	add := func(flag, dir, what string, bytes, names int64) {
		if dir != "" && !files.Remote(dir) {
			list = append(list, need{flag, dir, what, bytes, names})
		}
	}
	const few = 16 // names of directories, marks and released files
	if r.to.table {
		if !files.Remote(staging.Dir) {
			add(r.stagingFlag(), staging.Dir, "rows to be loaded", rows, parts)
		}
	} else {
		add("--output", r.Output, "rows", rows, parts)
		if to, known := files.Space(r.Output); known {
			if from, known := files.Space(release); known && from.Disk != to.Disk {
				add(r.to.flag(release), release, "rows until they are published", rows, parts)
			}
		}
	}
	add(r.to.flag(release), release, "model and statement", model, few)
	if !files.Remote(staging.Dir) {
		add(r.stagingFlag(), staging.Dir, "model until it is published", model, few)
	}
	if !r.Engine.runner.Elsewhere && r.keepsRecords() {
		bytes := int64(plan.KeptBytes(r.Problem))
		add(r.scratchFlag(), r.to.scratch, "records until they are counted", bytes, 1)
	}
	return list
}

// shortages compares needs with what is left, disk by disk: directories of one disk need the sum.
func shortages(needs []need, space func(dir string) (files.Free, bool)) (faults Faults) {
	left := map[uint64]files.Free{}
	for _, n := range needs {
		now, known := space(n.dir)
		if !known {
			continue
		}
		if before, seen := left[now.Disk]; seen {
			now = before
		}
		switch {
		case n.bytes > now.Bytes:
			faults.add(n.flag, fmt.Sprintf("%s has %s left for the %s, of about %s", n.dir, page.Bytes(float64(max(now.Bytes, 0))), n.what, page.Bytes(float64(n.bytes))),
				"make room, or name a directory on another disk")
		case now.Files >= 0 && n.names > now.Files:
			faults.add(n.flag, fmt.Sprintf("%s has room for %d more files, and the %s need %d", n.dir, now.Files, n.what, n.names),
				"remove some, lower --shards, or name a directory on another disk")
		}
		now.Bytes -= n.bytes
		if now.Files >= 0 {
			now.Files = max(now.Files-n.names, 0)
		}
		left[now.Disk] = now
	}
	return faults
}

// stagingFlag is what chooses the directory of what is not published yet.
func (r *Request) stagingFlag() string {
	if r.Store != "" {
		return "--store"
	}
	return r.scratchFlag()
}

// scratchFlag is what chooses the directory for temporary files.
func (r *Request) scratchFlag() string {
	switch {
	case !r.Engine.runner.Elsewhere && r.to.scratch == os.TempDir():
		return "TMPDIR"
	case r.Store != "":
		return "--store"
	}
	return r.to.flag(r.to.beside)
}
