package pipelines

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/beamrun/runner"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report/page"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// target holds the part of a request that says where its rows go.
type target struct {
	output, format, write string
	release               string // directory of all but the rows; empty: not given
	releases              bool   // there are released files
	overwrite             bool
	labels                map[string]string
	shards                int
	services              table.Options
	null                  string // how CSV spells NULL
	run                   string // ID of a run that may have published there already
	temp                  string // directory for what is not published yet; empty: not given
	scratch               string // the same, of this machine
}

func (c *Config) target() target {
	t := target{c.Output, c.Format, c.Write, c.Release, true, c.Overwrite, c.Labels, c.Shards, c.Services, c.Null, c.RunID, c.TempLocation, ""}
	t.scratch = c.Engine.scratch(c.TempLocation, t.beside())
	return t
}

func (c *SampleConfig) target() target {
	return target{c.Output, c.Format, c.Write, "", false, c.Overwrite, c.Labels, c.Shards, c.Services, c.Null, "", c.TempLocation, os.TempDir()}
}

// beside returns the directory next to which the staging should be; empty: none.
func (t target) beside() string {
	if isTable(t.output) || t.release != "" {
		return t.release
	}
	dir, _ := dirsink.Beside(t.output) // a request without one was refused
	return dir
}

// isTable reports whether a name is that of a table, and not of a file or a directory.
func isTable(name string) bool {
	_, ok := table.PlaceOf(name)
	return ok
}

// in returns the target of one run, with a staging of its own.
func (t target) in(runID, stage string) table.Target {
	return table.Target{
		Output: t.output, Format: t.format, Null: t.null, Write: t.write, Labels: t.labels, Release: t.release, Overwrite: t.overwrite,
		Shards: t.shards, Stage: files.Join(stage, "rows"), Services: t.services, RunID: runID,
	}
}

// check refuses flags that contradict each other, and directories that are not free.
func (t target) check(ctx context.Context, f *Faults) {
	if !isTable(t.output) {
		t.checkDirectory(ctx, f)
		if t.write != "" {
			f.add("--write", "is for tables of BigQuery", "use --overwrite for a directory")
		}
		return
	}
	for _, fault := range t.placeFaults() {
		*f = append(*f, fieldFault(fault))
	}
	if t.format != "parquet" {
		f.add("--format", "is for directories", "leave it out: rows are staged as Parquet")
	}
	switch {
	case t.releases && t.release == "":
		f.add("--release", "is required if the rows go to a table: the directory for statement and model", "")
	case isTable(t.release):
		f.add("--release", fmt.Sprintf("got %q; want a directory", t.release), "")
	case !t.releases && t.overwrite:
		f.add("--overwrite", "is for directories", "use --write=truncate for a table")
	case t.releases:
		checkOutput(ctx, t, f)
	}
}

// checkDirectory checks the directory of the rows, and that of everything else.
func (t target) checkDirectory(ctx context.Context, f *Faults) {
	_, err := dirsink.Beside(t.output)
	switch {
	case t.output == "":
		f.add("--output", "is required: a directory for the rows", "")
	case t.release == "" && err != nil && t.releases:
		f.add("--release", fmt.Sprintf("is required, since --output: %v", err), "name a directory for statement and model")
	case t.release == "" && err != nil:
		f.add("--output", err.Error(), "name a directory by its own name")
	default:
		checkOutput(ctx, t, f)
	}
	if ending := strings.TrimPrefix(path.Ext(files.Clean(t.output)), "."); ending != t.format && slices.Contains(table.Writable(defaultFormat), ending) {
		f.add("--output", fmt.Sprintf("%s ends in .%s, and its files would be %s", t.output, ending, t.format), "add --format="+ending+", or give the directory another name")
	}
}

// finished reports whether the run has published there already: the directory need not be free then.
func (t target) finished(ctx context.Context) bool {
	_, ok := run.FinishedAs(ctx, t.beside(), t.run)
	return ok
}

// flag returns the flag that sets the directory.
func (t target) flag(dir string) string {
	if t.release != "" && files.Clean(dir) == files.Clean(t.release) || isTable(t.output) {
		return "--release"
	}
	return "--output"
}

// flagOf is flag for an error that names the directory.
func (t target) flagOf(err error) string {
	if t.release != "" && !strings.Contains(fmt.Sprint(err), files.Clean(t.output)) {
		return "--release"
	}
	return "--output"
}

// placeFaults finds the faults in the name of a table and in the way its rows are written.
func (t target) placeFaults() []*table.FieldError {
	place, ok := table.PlaceOf(t.output)
	if !ok {
		return nil
	}
	return place.Target(t.in("check", run.AreaOf(t.temp, t.beside(), "").Dir))
}

// checkFormat refuses data that files of the format cannot hold, before any budget is spent.
func (t target) checkFormat(d *domain.Domain, f *Faults) {
	format, known := table.FormatOf(t.format)
	if isTable(t.output) || !known || !format.Text {
		if t.null != "" {
			f.add("--null", "is for --format=csv", "leave it out")
		}
		return
	}
	if format.CheckOutput == nil {
		return
	}
	for _, err := range cause.Each(format.CheckOutput(d, t.null)) {
		f.add("--format", cause.Text(err), "")
	}
}

// checkFormatName refuses a format that cannot be written.
func checkFormatName(name string, f *Faults) {
	if known := table.Writable(defaultFormat); !slices.Contains(known, name) {
		f.add("--format", fmt.Sprintf("got %q; want %s", name, strings.Join(known, " or ")), "")
	}
}

// defaultFormat is the default format of written files.
const defaultFormat = "parquet"

// checkTable refuses a table that cannot be written, before any budget is spent. Its name and the way to write have
// been checked before.
func (t target) checkTable(ctx context.Context, rows, people *domain.Domain, f *Faults) {
	if !isTable(t.output) || len(t.placeFaults()) > 0 || t.finished(ctx) {
		return
	}
	to := t.in("check", "")
	to.Domain, to.People = rows, people
	for _, err := range cause.Each(table.OpenSink(to).Check(ctx)) {
		f.add("--output", tableError(err), "")
	}
}

// tableError returns the text of a sink's error, with the names of flags.
func tableError(err error) string {
	return strings.ReplaceAll(cause.Text(err), "set write=", "set --write=")
}

// checkLayout refuses what the target cannot hold of one table or two, before any budget is spent.
func checkLayout(ctx context.Context, t target, d *domain.Domain, two bool, f *Faults) {
	if two && d.Events == nil {
		f.add("--layout", "got two, and the domain file declares no events: there is one row for each person, and one table", "declare events, or leave it out")
		return
	}
	if d.Events != nil && t.write == "append" {
		f.add("--write", "append would mix up people: every run numbers them from 1, and rows of two runs would have the same numbers",
			"name another table, or replace what is there with --write=truncate")
		return
	}
	rows, people := publish.Tables(d, two)
	if t.output != "" {
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
	t := r.target()
	to := t.in("plan", run.AreaOf(r.TempLocation, t.beside(), r.scratch).Dir)
	to.Domain, to.People = publish.Tables(r.File.Domain, r.Tables)
	if note := table.OpenSink(to).Note(); note != "" {
		lines = append(lines, "output    "+note)
	}
	if len(r.Problem.Criteria.Limits) > 0 {
		lines = append(lines, r.criteriaNote())
	}
	if p := r.Problem.Public; p != nil {
		use := "a prior of the model if the released error estimate is clearly lower with them"
		if r.Chosen.Comparison {
			use = "what the method starts from, whether or not they are like the private ones"
		}
		lines = append(lines, fmt.Sprintf("public    %s rows of %s are %s; no guarantee covers them, and the errors above are predicted without them",
			page.Count(float64(p.Rows)), r.Public, use))
	}
	if r.MinCount.Rows > 0 {
		lines = append(lines, fmt.Sprintf("min_count rows of a combination of %s that fewer than %d have are merged with others: no privacy cost, and no guarantee beyond ε and δ; "+
			"the last lines of synth and the report say what it costs in error", columnsOf(r.MinCount), r.MinCount.Rows))
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
	rows, parts := int64(bytes), int64(orDefault(r.Shards, DefaultShards))
	release := r.target().beside()
	add := func(flag, dir, what string, bytes, names int64) {
		if dir != "" && !files.Remote(dir) {
			list = append(list, need{flag, dir, what, bytes, names})
		}
	}
	const few = 16 // names of directories, marks and released files
	if isTable(r.Output) {
		if st := run.AreaOf(r.TempLocation, r.target().beside(), r.scratch); !files.Remote(st.Dir) {
			add(r.scratchFlag(), r.scratch, "rows to be loaded", rows, parts)
		}
	} else {
		add("--output", r.Output, "rows", rows, parts)
		if to, known := files.Space(r.Output); known {
			if from, known := files.Space(release); known && from.Disk != to.Disk {
				add(r.target().flag(release), release, "rows until they are published", rows, parts)
			}
		}
	}
	add(r.target().flag(release), release, "model and statement", model, few)
	if !files.Remote(r.TempLocation) && !files.Remote(r.target().beside()) {
		add(r.scratchFlag(), r.scratch, "model until it is published", model, few)
	}
	if !r.Engine.runner.Elsewhere && r.keepsRecords() {
		bytes := int64(plan.KeptBytes(r.Problem))
		add(r.scratchFlag(), r.scratch, "records until they are counted", bytes, few+bytes/runner.KeptPart)
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
			faults.add(n.flag, fmt.Sprintf("%s has %s left for the %s, of about %s", n.dir, plan.Bytes(float64(max(now.Bytes, 0))), n.what, plan.Bytes(float64(n.bytes))),
				"make room, or name a directory on another disk")
		case now.Files >= 0 && n.names > now.Files:
			faults.add(n.flag, fmt.Sprintf("%s has room for %d more files, of which the %s need %d", n.dir, now.Files, n.what, n.names),
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

// scratchFlag is what chooses the directory for temporary files.
func (r *Request) scratchFlag() string {
	switch {
	case !r.Engine.runner.Elsewhere && r.scratch == os.TempDir():
		return "TMPDIR"
	case r.TempLocation != "":
		return "--temp_location"
	}
	return r.target().flag(r.target().beside())
}
