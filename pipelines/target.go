package pipelines

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/table"
)

// target is what a request says of where its rows go.
type target struct {
	output, format, write string
	release               string // directory of all but the rows; empty: not given
	releases              bool   // there are released files
	overwrite             bool
	labels                map[string]string
	shards                int
	services              table.Options
	null                  string // how CSV spells NULL
}

func (c *Config) target() target {
	return target{c.Output, c.Format, c.Write, c.Release, true, c.Overwrite, c.Labels, c.Shards, c.Services, c.Null}
}

func (c *SampleConfig) target() target {
	return target{c.Output, c.Format, c.Write, "", false, c.Overwrite, c.Labels, c.Shards, c.Services, c.Null}
}

// isTable reports whether a name is that of a table of BigQuery.
func isTable(name string) bool { return strings.HasPrefix(name, bigqueryio.Scheme) }

// check refuses flags that do not go with each other, and directories that are not free.
func (t target) check(ctx context.Context, f *Faults) {
	if !isTable(t.output) {
		t.checkDirectory(ctx, f)
		if t.write != "" {
			f.add("--write", "is for tables of BigQuery", "use --overwrite for a directory")
		}
		if len(t.labels) > 0 {
			f.add("--labels", "are for tables of BigQuery", "leave them out")
		}
		return
	}
	if _, err := bigqueryio.ParseTable(t.output); err != nil {
		f.add("--output", plainError(err), "")
	}
	if _, err := bigqueryio.ParseWrite(t.mode()); err != nil {
		f.add("--write", fmt.Sprintf("got %q; want empty, truncate or append", t.write), "")
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
}

// flag names what chooses a directory.
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

// checkCSV refuses what CSV cannot hold, before any budget is spent.
func (t target) checkCSV(d *domain.Domain, f *Faults) {
	if isTable(t.output) || t.format != "csv" {
		if t.null != "" {
			f.add("--null", "is for --format=csv", "leave it out")
		}
		return
	}
	for _, err := range eachError(csvio.CheckOutput(d, t.null)) {
		f.add("--format", plainError(err), "")
	}
}

// checkTable refuses a table that cannot be written, before any budget is spent. Its name and the way to
// write have been checked before.
func (t target) checkTable(ctx context.Context, d *domain.Domain, f *Faults) {
	if _, err := bigqueryio.ParseTable(t.output); err != nil || !isTable(t.output) {
		return
	}
	for _, err := range eachError(t.sink("check", d).Check(ctx)) {
		f.add("--output", tableError(err), "")
	}
}

// tableError is the text of an error of a sink, with the names of flags.
func tableError(err error) string {
	return strings.ReplaceAll(plainError(err), "set write=", "set --write=")
}

// notes say in a plan what tables of BigQuery entail.
func (r *Request) notes() (lines []string) {
	if note := r.source.Note(); note != "" {
		lines = append(lines, "input     "+note)
	}
	if isTable(r.Output) {
		from := "one file from this machine, since neither --temp_location nor --release is on gs://"
		if files.Remote(r.TempLocation) || files.Remote(r.Release) {
			from = fmt.Sprintf("%d files staged on gs://", r.Shards)
		}
		lines = append(lines, fmt.Sprintf("output    %s, write=%s; one load job of %s", r.Output, r.target().mode(), from))
	}
	return lines
}

// beside returns the directory of which the staging should be near; empty: none.
func (t target) beside() string {
	if isTable(t.output) || t.release != "" {
		return t.release
	}
	dir, _ := dirsink.Beside(t.output) // a request without one was refused
	return dir
}

func (t target) mode() string { return cmp.Or(t.write, bigqueryio.WriteEmpty.String()) }

// sink returns the table as a sink. A name or a way to write that was refused before gives the zero one.
func (t target) sink(runID string, d *domain.Domain) bigqueryio.Sink {
	name, _ := bigqueryio.ParseTable(t.output)
	write, _ := bigqueryio.ParseWrite(t.mode())
	client := t.services.BigQuery
	client.Project = cmp.Or(client.Project, name.Project)
	return bigqueryio.Sink{Client: client, Table: name, Domain: *d, RunID: runID, Shards: t.shards, Write: write, Labels: t.labels}
}
