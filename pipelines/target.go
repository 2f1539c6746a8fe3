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

// beside returns the directory next to which the staging should be; empty: none.
func (t target) beside() string {
	if isTable(t.output) || t.release != "" {
		return t.release
	}
	dir, _ := dirsink.Beside(t.output) // a request without one was refused
	return dir
}
