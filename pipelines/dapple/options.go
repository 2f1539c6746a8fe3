package main

import (
	"errors"

	"github.com/dapple-dp/dapple/pipelines"
)

// logOption is how progress and errors are written. Help tells of it beside --quiet.
func logOption(asJSON *bool) option {
	return option{name: "log", value: "FORM", set: func(s string) error {
		form := ""
		err := oneOf(&form, "text", "json")(s)
		*asJSON = form == "json"
		return err
	}}
}

// silence are the flags that say how much a command tells of its progress.
func silence(quiet, asJSON *bool) []option {
	return []option{
		{name: "quiet", usage: "no progress; --log=json: progress and errors as JSON, an object a line", set: toggle(quiet)},
		logOption(asJSON),
	}
}

// unheard are those flags of a command without progress, so that a script can give them to all.
func unheard() []option {
	var quiet, asJSON bool
	opts := silence(&quiet, &asJSON) // errors look for --log themselves
	opts[0].usage = ""
	return opts
}

// layout reads how many tables people and their rows are written as.
func layout(two *bool) func(string) error {
	return func(s string) error {
		form := ""
		err := oneOf(&form, "joined", "two")(s)
		*two = form == "two"
		return err
	}
}

// mostRows is the most rows that one run writes.
const mostRows = 1_000_000_000_000

// requestOptions are the flags that plan and synth share.
func requestOptions(c *pipelines.Config) []option {
	opts := []option{
		{name: "domain", value: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
		{name: "input", value: "TABLE", usage: "the private table: files, a pattern, or a bq:// table", required: true, set: text(&c.Input)},
		{name: "people_input", value: "TABLE", set: text(&c.People)},
		{name: "output", value: "DIR", usage: "directory or bq:// table for the rows", required: true, set: text(&c.Output)},
		{name: "epsilon", value: "E", usage: "ε, a decision that has no default", required: true, set: epsilon(&c.Epsilon)},
		{name: "delta", value: "D", usage: "δ, which has no default; 0 is pure; --accept_delta: a large one", required: true, set: delta(&c.Delta)},
		{name: "accept_delta", set: toggle(&c.AcceptDelta)},
		{name: "neighbouring", value: "REL", usage: "add_remove (default) or replace; --people_input=TABLE: who may lack rows", set: relation(&c.Neighbouring)},
		{name: "rows", value: "N", usage: "rows to write; default: the released number of units (see --sample_seed)", set: whole(&c.Rows, mostRows)},
		{name: "expected_rows", value: "N", usage: "public planning number of units, 50000; --error_share=0.01: for the error", set: whole(&c.ExpectedRows, mostRows)},
		{name: "marginals", value: "K", usage: "widest marginals, default 3; --max_cells=N: those with most cells, 10000", set: whole(&c.Marginals, 8)},
		{name: "max_cells", value: "N", set: whole(&c.MaxCells, 10_000_000)},
		{name: "public", value: "TABLE", set: text(&c.Public)},
		{name: "method", value: "NAME", usage: "auto (default) or one that plan lists; --public=TABLE: rows anybody may see", set: text(&c.Method)},
		{name: "memory_limit", value: "BYTES", set: whole(&c.MemoryLimit, 1<<50)},
		{name: "format", value: "FORMAT", usage: "parquet (default) or csv; --null=TEXT says how CSV spells NULL, else empty", set: oneOf(&c.Format, "parquet", "csv")},
		{name: "null", value: "TEXT", set: text(&c.Null)},
		{name: "layout", value: "FORM", set: layout(&c.Tables)},
		{name: "release", value: "DIR", usage: "of statement and model; --about=FILE adds to them: see dapple help about", set: text(&c.Release)},
		{name: "about", value: "FILE", set: text(&c.About)},
		{name: "shards", value: "N", set: whole(&c.Shards, pipelines.MaxShards)},
		{name: "overwrite", usage: "replace what dapple wrote; --shards=N: files; --layout=two: people, events", set: toggle(&c.Overwrite)},
		{name: "error_share", value: "S", set: errorShare(&c.ErrorShare)},
		{name: "criteria", value: "LIST", usage: "'age,sex<=0.02; race<=0.01': largest errors; checked, exit 1 if not met", set: text(&c.Criteria)},
		{name: "min_count", value: "K", usage: "no written combination (of --min_count_columns=A,B, else all) in fewer rows", set: whole(&c.MinCount.Rows, mostRows)},
		{name: "min_count_columns", value: "A,B", set: list(&c.MinCount.Columns)},
		{name: "sample_seed", value: "N", set: seed(&c.SampleSeed, &c.HasSampleSeed)},
		{name: "ledger", value: "BOOK", usage: "the table's budget book, see dapple ledger: refuses what does not fit", set: text(&c.Ledger)},
		{name: "strict", usage: "fail on an unusable cell or malformed line, and say where: for the owner", set: toggle(&c.Strict)},
		beamText("temp_location", "DIR", text(&c.TempLocation)),
	}
	opts = append(opts, writingTables(&c.Write, &c.Labels)...)
	opts = append(opts, engineOptions(c)...)
	reading := readingServices(&c.Services)
	bigquery := reading[0].set
	reading[0].elsewhere, reading[0].usage = true, "Google's project that runs the job, and pays for it and for BigQuery"
	reading[0].set = func(s string) error { return errors.Join(bigquery(s), text(&c.Engine.Cloud.Project)(s)) }
	return append(opts, append(reading, cloudOptions(&c.Engine.Cloud)...)...)
}

// cloudOptions are the flags of Dataflow, with Beam's names.
func cloudOptions(c *pipelines.Cloud) []option {
	return []option{
		{elsewhere: true, name: "region", value: "REGION", usage: "Dataflow: where, such as europe-west1", set: text(&c.Region)},
		{elsewhere: true, name: "staging_location", value: "DIR", usage: "Dataflow: gs:// directory for what is staged; default: by the output", set: text(&c.Staging)},
		{elsewhere: true, name: "worker_machine_type", value: "TYPE", usage: "Dataflow: machines for the workers; the fit takes --memory_limit of one", set: text(&c.Machine)},
		{elsewhere: true, name: "max_num_workers", value: "N", usage: "Dataflow: most workers at a time", set: whole(&c.MaxWorkers, 4000)},
		{elsewhere: true, name: "service_account_email", value: "A", usage: "Dataflow: who the workers are", set: text(&c.ServiceAccount)},
		{elsewhere: true, name: "subnetwork", value: "NAME", usage: "Dataflow: their network; --no_use_public_ips: in it alone", set: text(&c.Subnetwork)},
		{elsewhere: true, name: "no_use_public_ips", set: toggle(&c.PrivateIPs)},
		{elsewhere: true, name: "template_location", value: "NAME", usage: "Dataflow: only write the job to gs://…; --dry_run: only print it", set: text(&c.Template)},
		{elsewhere: true, name: "dry_run", set: toggle(&c.DryRun)},
	}
}

// engineOptions are the flags that choose where the run is at work. They have Beam's names where Beam has one.
func engineOptions(c *pipelines.Config) []option {
	e := &c.Engine
	return []option{
		{name: "runner", value: "NAME", usage: "prism (default) or direct; Flink, Spark, Dataflow: see dapple help runners", set: text(&c.Runner)},
		{elsewhere: true, name: "endpoint", value: "ADDRESS", usage: "host:port of Beam's job server for the runner, not the engine's own", set: text(&e.Endpoint)},
		{elsewhere: true, name: "environment_type", value: "TYPE", usage: "its workers: LOOPBACK, PROCESS, EXTERNAL or DOCKER", set: text(&e.Environment)},
		{elsewhere: true, name: "environment_config", value: "C", usage: `PROCESS: none or {"command": …}; EXTERNAL: host:port; DOCKER: image`, set: text(&e.Config)},
		{elsewhere: true, name: "worker_binary", value: "FILE", usage: "program for the workers, linux/amd64; default: this one", set: text(&e.Worker)},
		{elsewhere: true, name: "parallelism", value: "N", usage: "how much the engine does at a time", set: whole(&e.Parallelism, 100_000)},
		beamText("job_name", "NAME", text(&e.JobName)),
		beamText("experiments", "LIST", text(&e.Experiments)),
		{elsewhere: true, name: "shared", usage: "all workers see local paths under the same names", set: toggle(&e.Shared)},
		{elsewhere: true, name: "detach", usage: "submit the job and do not wait for it; --run_id asks again", set: toggle(&e.Detach)},
		{elsewhere: true, name: "run_id", value: "ID", usage: "finish the run of this ID, or begin it; it is paid for once", set: text(&c.RunID)},
	}
}
