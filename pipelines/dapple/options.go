package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// progressOptions are the flags that say how much a command tells of its progress. All commands take them, so that a script
// can give them to all; errors look for --log themselves.
func progressOptions(quiet, asJSON *bool) []option {
	return []option{
		{name: "quiet", usage: "no progress", set: toggle(quiet)},
		{name: "log", value: "FORM", def: "text", choices: []string{"text", "json"}, usage: "text or json, an object a line: form of progress and errors", set: choice(asJSON, "text", "json")},
	}
}

// jsonOption asks for the result as one JSON object: on standard output, in place of the text, or in a file.
func jsonOption(p *string) option {
	return option{name: "json", value: "FILE", optional: true, stream: true, usage: "write one JSON object: to FILE, or to standard output in place of the text", set: text(p)}
}

// mostRows is the most rows that one run writes.
const mostRows = schema.MostRows

// requestOptions are the flags that plan and synth share.
func requestOptions(c *pipelines.Config) []option {
	c.Delta = dp.Delta(math.NaN()) // until it is given, so that no method is judged by a δ of 0
	opts := []option{
		{name: "domain", group: groupWhat, value: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
		{name: "input", group: groupWhat, value: "TABLE", usage: "the private table: files, a pattern, or a bq:// table", required: true, set: text(&c.Input)},
		{name: "people_input", group: groupWhat, value: "TABLE", usage: "the table of all people, if some have no rows in --input", set: text(&c.People)},
		{name: "expected_rows", group: groupWhat, value: "N", def: fmt.Sprint(solver.DefaultUnits), usage: "public estimate of the number of people, for planning", set: whole(&c.ExpectedRows, mostRows)},
		marginalsOption(&c.Marginals), cellsOption(&c.MaxCells),
		{name: "method", group: groupWhat, value: "NAME", def: "auto", choices: append([]string{"auto"}, methods.Names()...), usage: "auto, or a method that dapple plan lists", set: text(&c.Method)},
		{name: "strict", group: groupWhat, usage: "fail on an unusable cell or line, and say where: for the data owner", set: toggle(&c.Strict)},

		{name: "epsilon", group: groupPrivacy, value: "E", usage: "privacy budget ε; there is no safe default", required: true, set: epsilon(&c.Epsilon)},
		{name: "delta", group: groupPrivacy, value: "D", usage: "privacy budget δ; there is no safe default, and 0 is pure", required: true, set: delta(&c.Delta)},
		{name: "accept_delta", group: groupPrivacy, usage: "accept a δ above 1/(2·expected people) or 0.001", set: toggle(&c.AcceptDelta)},
		{name: "neighbouring", group: groupPrivacy, value: "REL", def: "add_remove", choices: []string{"add_remove", "replace"}, usage: "what the presence of a person changes: add_remove or replace", set: relation(&c.Neighbouring)},
		{name: "error_share", group: groupPrivacy, value: "S", def: fmt.Sprint(solver.DefaultErrorShare), usage: "part of the budget that measures the error", set: errorShare(&c.ErrorShare)},
		{name: "ledger", group: groupPrivacy, value: "BOOK", variable: "DAPPLE_LEDGER", usage: "charge this budget book; a run that does not fit is refused", set: text(&c.Ledger)},

		{name: "output", group: groupOutput, value: "DIR", usage: "directory or bq:// table for the rows", required: true, set: text(&c.Output)},
		{name: "release", group: groupOutput, value: "DIR", usage: "directory for report, statement and model; default: OUTPUT.release", set: text(&c.Release)},
		{name: "about", group: groupOutput, value: "FILE", variable: "DAPPLE_ABOUT", usage: "texts for report and statement; dapple help about lists the keys", set: text(&c.About)},
		{name: "rows", group: groupOutput, value: "N", usage: "rows to write; default: the released number of people", set: whole(&c.Rows, mostRows)},
		formatOption(&c.Format), nullOption(&c.Null), layoutOption(&c.Tables), shardsOption(&c.Shards), overwriteOption(&c.Overwrite),
		{name: "criteria", group: groupOutput, value: "LIST", usage: "largest errors, such as 'age,sex<=0.02; race<=0.01'; exit 3 if not met", set: text(&c.Criteria)},
	}
	opts = append(opts, seedOption(&c.SampleSeed, &c.HasSampleSeed))
	tables := writingTables(&c.Write, &c.Labels)
	tables[1].group = groupEngines // jobs have labels, too
	opts = append(opts, tables...)
	opts = append(opts, engineOptions(c)...)
	reading := readingServices(&c.Services)
	bigquery := reading[0].set
	reading[0].usage = "Google's project that runs the job, and pays for it and for BigQuery"
	reading[0].set = func(s string) error {
		if err := text(&c.Engine.Cloud.Project)(s); err != nil {
			return err
		}
		return bigquery(s)
	}
	return append(opts, append(reading, cloudOptions(&c.Engine.Cloud)...)...)
}

// Flags that several commands share.

func marginalsOption(p *int) option {
	return option{name: "marginals", group: groupWhat, value: "K", def: fmt.Sprint(query.DefaultWidth), usage: "most columns in one marginal", set: whole(p, 8)}
}

func cellsOption(p *int64) option {
	return option{name: "max_cells", group: groupWhat, value: "N", def: fmt.Sprint(query.DefaultCells), usage: "most cells in one marginal", set: whole(p, 10_000_000)}
}

func domainShareOption(p *float64) option {
	return option{name: "domain_share", group: groupPrivacy, value: "S", usage: "part of the budget that finds the domain: 0.1 up to 20 columns, 0.3 from 60 on", set: fraction(p)}
}

// Flags on the form of rows, which synth and sample share.

func formatOption(p *string) option {
	formats := table.Writable("parquet")
	last := len(formats) - 1
	return option{name: "format", group: groupOutput, value: "FORMAT", def: "parquet", choices: formats, usage: strings.Join(formats[:last], ", ") + " or " + formats[last], set: func(s string) error {
		if why := table.NotWritten(s); why != "" {
			return errors.New(why)
		}
		return oneOf(p, formats...)(s)
	}}
}

func nullOption(p *string) option {
	return option{name: "null", group: groupOutput, value: "TEXT", usage: "how CSV spells NULL; default: an empty cell", set: text(p)}
}

func layoutOption(two *bool) option {
	return option{name: "layout", group: groupOutput, value: "FORM", def: "joined", choices: []string{"joined", "two"}, usage: "of people with many rows: joined, or two tables, people and events", set: choice(two, "joined", "two")}
}

func shardsOption(p *int) option {
	return option{name: "shards", group: groupOutput, value: "N", usage: "output files; default: one, up to 8 of large tables", set: whole(p, pipelines.MaxShards)}
}

func overwriteOption(p *bool) option {
	return option{name: "overwrite", group: groupOutput, usage: "replace what dapple wrote to the output directory before", set: toggle(p)}
}

func seedOption(p *uint64, has *bool) option {
	return option{name: "sample_seed", group: groupOutput, value: "N", usage: "repeats the sampling of rows, never the noise; default: random", set: seed(p, has)}
}

// cloudOptions are the flags of Dataflow, with Beam's names.
func cloudOptions(c *pipelines.Cloud) []option {
	return []option{
		{group: groupEngines, name: "region", value: "REGION", usage: "Dataflow: where, such as europe-west1", set: text(&c.Region)},
		{group: groupEngines, name: "staging_location", value: "DIR", usage: "Dataflow: gs:// directory for what is staged; default: by the output", set: text(&c.Staging)},
		{group: groupEngines, name: "worker_machine_type", value: "TYPE", usage: "Dataflow: machines for the workers; the fit takes --memory_limit of one", set: text(&c.Machine)},
		{group: groupEngines, name: "max_num_workers", value: "N", usage: "Dataflow: most workers at a time", set: whole(&c.MaxWorkers, 4000)},
		{group: groupEngines, name: "service_account_email", value: "A", usage: "Dataflow: who the workers are", set: text(&c.ServiceAccount)},
		{group: groupEngines, name: "subnetwork", value: "NAME", usage: "Dataflow: the workers' network", set: text(&c.Subnetwork)},
		{group: groupEngines, name: "no_use_public_ips", usage: "Dataflow: workers have addresses of the subnetwork alone", set: toggle(&c.PrivateIPs)},
		{group: groupEngines, name: "template_location", value: "NAME", usage: "Dataflow: only write the job to gs://…", set: text(&c.Template)},
		{group: groupEngines, name: "dry_run", usage: "Dataflow: only print the job", set: toggle(&c.DryRun)},
	}
}

// engineOptions are the flags that choose where the run is at work. They have Beam's names where Beam has one.
func engineOptions(c *pipelines.Config) []option {
	e := &c.Engine
	return append([]option{
		{group: groupWhere, name: "runner", value: "NAME", def: "prism", usage: "prism or direct: this process; or flink, spark, universal, dataflow", set: text(&c.Runner)},
		storeOption(&c.Store),
		{group: groupWhere, name: "memory_limit", value: "BYTES", usage: "most memory of the fit; default: 2 GiB", set: whole(&c.MemoryLimit, 1<<50)},
		{group: groupEngines, name: "endpoint", value: "ADDRESS", usage: "host:port of Beam's job server for the runner, not the engine's own", set: text(&e.Endpoint)},
		{group: groupEngines, name: "environment_type", value: "TYPE", usage: "workers: LOOPBACK, PROCESS, EXTERNAL or DOCKER", set: text(&e.Environment)},
		{group: groupEngines, name: "environment_config", value: "C", usage: `PROCESS: none or {"command": …}; EXTERNAL: host:port; DOCKER: image`, set: text(&e.Config)},
		{group: groupEngines, name: "worker_binary", value: "FILE", usage: "program for the workers, linux/amd64; default: this one", set: text(&e.Worker)},
		{group: groupEngines, name: "parallelism", value: "N", usage: "how much the engine does at a time", set: whole(&e.Parallelism, 100_000)},
		{group: groupEngines, name: "shared", usage: "all workers see local paths under the same names", set: toggle(&e.Shared)},
		{group: groupEngines, name: "detach", usage: "submit the job and do not wait for it; --run_id asks again", set: toggle(&e.Detach)},
		{group: groupWhere, name: "run_id", value: "ID", usage: "finish the run of this ID, or begin it; it is paid for once", set: text(&c.RunID)},
		{group: groupWhere, name: "again", usage: "pay again for a run that only the budget book knows", set: toggle(&c.Again)},
	}, beamOptions(&e.JobName, &e.Experiments)...)
}

// beamOptions are Beam's own flags that a run of this process takes.
func beamOptions(job, experiments *string) []option {
	options := []option{
		beamFlag(option{name: "job_name", value: "NAME", usage: "name of the job on the engine", set: text(job)}),
		beamFlag(option{name: "experiments", value: "LIST", usage: "experiments of Beam, between commas", set: text(experiments)}),
	}
	for i := range options {
		options[i].group = groupEngines
	}
	return options
}

func storeOption(p *string) option {
	return option{group: groupWhere, name: "store", value: "DIR", variable: "DAPPLE_STORE", usage: "keep unpublished files here; default: TMPDIR, or by the output", set: text(p)}
}

// beamFlag tells Beam of a flag that it has too, which not every runner defines.
func beamFlag(o option) option {
	set := o.set
	o.group = groupWhere
	o.set = func(s string) error {
		if err := set(s); err != nil {
			return err
		}
		if f := flag.Lookup(o.name); f != nil {
			return f.Value.Set(s)
		}
		return nil
	}
	return o
}
