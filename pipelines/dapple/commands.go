package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/evaluate"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines"
)

// command is one word after dapple: its flags, and what it does once they are read.
type command struct {
	name    string
	summary string // one line
	example string
	options []option
	beam    bool                            // runs a pipeline
	check   func(ctx context.Context) error // finds every fault of the request, also when some flags could not be read
	run     func(ctx context.Context, out io.Writer) error
}

// commands returns every command, each with a fresh configuration behind its flags.
func commands(progress io.Writer, terminal bool) []command {
	all := []command{planCommand(), synthCommand(progress, terminal), sampleCommand(progress, terminal), verifyCommand(), ledgerCommand(), reportCommand(), checkCommand(), evaluateCommand(), inferCommand(), expandCommand(), cleanCommand()}
	for i := range all {
		if !slices.ContainsFunc(all[i].options, func(o option) bool { return o.name == "quiet" }) {
			all[i].options = append(all[i].options, unheard()...)
		}
	}
	return append(all, completionCommand(all))
}

func planCommand() command {
	c := &pipelines.PlanConfig{}
	var req *pipelines.PlanRequest
	json := ""
	opts := requestOptions(&c.Config)
	for i := range opts {
		switch o := &opts[i]; o.name {
		case "input", "output":
			o.required = false
		case "epsilon":
			o.usage, o.required = "ε; --target_error in its place asks for the least that suffices", false
		case "sample_seed", "strict", "overwrite", "runner":
			o.usage = "" // accepted, so that synth can become plan, and no part of a plan
		}
	}
	var flags given
	flags.record(opts)
	opts = append(opts,
		option{name: "target_error", value: "TV", usage: "the average total variation that is wanted, such as 0.02: plan finds ε", set: fraction(&c.TargetError)},
		option{name: "target", value: "WHAT", usage: "its marginals: 1-way, 2-way, 3-way, column:NAME or columns:A,B", set: text(&c.Target)},
		option{name: "like", value: "DIR", usage: "predict errors of a table like this earlier release, not of a typical one", set: text(&c.Like)},
		option{name: "json", value: "FILE", usage: "write the plan as JSON too, local or gs://", set: text(&json)})
	return command{
		name:    "plan",
		summary: "say what synth would do, promise and cost, without opening the table",
		example: "dapple plan --domain=people.yaml --delta=1e-9 --target_error=0.02",
		options: opts,
		check: func(ctx context.Context) (err error) {
			req, err = pipelines.ValidatePlan(ctx, *c)
			return withPlace(ctx, err, "--json", json)
		},
		run: func(ctx context.Context, out io.Writer) error {
			p, err := req.Plan()
			if err != nil {
				return err
			}
			if json != "" {
				b, err := p.JSON()
				if err != nil {
					return err
				}
				if err := files.Replace(ctx, json, b); err != nil {
					return err
				}
			}
			if err := p.WriteText(out); err != nil {
				return err
			}
			units := 0.0
			if p.Like {
				units = p.Problem.Units
			}
			_, err = fmt.Fprintf(out, "next      %s\n", flags.synth(p.Problem, units))
			return err
		},
	}
}

func synthCommand(progress io.Writer, terminal bool) command {
	c := &pipelines.Config{Progress: progress, Terminal: terminal}
	quiet := false
	var req *pipelines.Request
	opts := append(requestOptions(c), silence(&quiet, &c.LogJSON)...)
	return command{
		name:    "synth",
		summary: "turn a private table into synthetic rows, a model and a privacy statement",
		example: "dapple synth --domain=people.yaml --input=people.csv --output=out --epsilon=1 --delta=1e-9",
		options: opts,
		beam:    true,
		check: func(ctx context.Context) (err error) {
			if quiet {
				c.Progress = nil
			}
			req, err = pipelines.ValidateRun(ctx, *c)
			return err
		},
		run: func(ctx context.Context, out io.Writer) error {
			res, err := pipelines.Run(ctx, req)
			if err != nil {
				return err
			}
			if err := res.WriteText(out); err != nil {
				return errors.Join(res.Unprinted(err), res.Criteria())
			}
			return res.Criteria()
		},
	}
}

func sampleCommand(progress io.Writer, terminal bool) command {
	c := &pipelines.SampleConfig{Progress: progress, Terminal: terminal}
	quiet := false
	var req *pipelines.SampleRequest
	opts := []option{
		{name: "model", value: "DIR", usage: "what synth has written: its output, or its _model.arrow (or --domain)", set: text(&c.Model)},
		{name: "domain", value: "FILE", usage: "instead of a model: dry rows of a domain file, no data, no ε, marked so", set: text(&c.Domain)},
		{name: "output", value: "DIR", usage: "directory or bq:// table for the rows", required: true, set: text(&c.Output)},
		{name: "format", value: "FORMAT", usage: "parquet (default) or csv; --null=TEXT says how CSV spells NULL, else empty", set: oneOf(&c.Format, "parquet", "csv")},
		{name: "null", value: "TEXT", set: text(&c.Null)},
		{name: "rows", value: "N", usage: "rows to write; default: as many as the model stands for", set: whole(&c.Rows, mostRows)},
		{name: "layout", value: "FORM", usage: "of people: joined (default) or two, people and events", set: layout(&c.Tables)},
		{name: "where", value: "CONDITION", usage: "as in SQL: 'age >= 65 AND (sex = Female OR ward NOT IN (A, B))'", set: text(&c.Where)},
		{name: "min_count", value: "K", usage: "no written combination (of --min_count_columns=A,B, else all) in fewer rows", set: whole(&c.MinCount.Rows, mostRows)},
		{name: "min_count_columns", value: "A,B", set: list(&c.MinCount.Columns)},
		{name: "sample_seed", value: "N", usage: "repeats the sampling; default: random", set: seed(&c.SampleSeed, &c.HasSampleSeed)},
		{name: "shards", value: "N", usage: "output files; default: one, up to 8 of large tables", set: whole(&c.Shards, pipelines.MaxShards)},
		{name: "overwrite", usage: "replace what dapple wrote to the output directory before", set: toggle(&c.Overwrite)},
		{name: "runner", value: "NAME", set: text(&c.Runner)},
		beamText("temp_location", "DIR", text(&c.TempLocation)),
	}
	opts = append(opts, silence(&quiet, &c.LogJSON)...)
	c.Services = services()
	opts = append(opts, writingTables(&c.Write, &c.Labels)...)
	opts = append(opts, project(&c.Services))
	return command{
		name:    "sample",
		summary: "draw more rows from a released model, at no privacy cost",
		example: "dapple sample --model=out --output=more --where='age>=65 AND sex=Female'",
		options: opts,
		beam:    true,
		check: func(ctx context.Context) (err error) {
			if quiet {
				c.Progress = nil
			}
			req, err = pipelines.ValidateSample(ctx, *c)
			return err
		},
		run: func(ctx context.Context, out io.Writer) error {
			res, err := pipelines.RunSample(ctx, req)
			if err != nil {
				return err
			}
			return res.WriteText(out)
		},
	}
}

// withPlace adds to the faults of a request that of the place of a file.
func withPlace(ctx context.Context, err error, flag, name string) error {
	more := placeFaults(ctx, flag, name)
	var faults pipelines.Faults
	if len(more) > 0 && (err == nil || errors.As(err, &faults)) {
		return append(faults, more...)
	}
	return err
}

func verifyCommand() command {
	c := &pipelines.VerifyConfig{}
	var req *pipelines.VerifyRequest
	return command{
		name:    "verify",
		summary: "check that rows, statement and model are as a run wrote them and belong together",
		example: "dapple verify out",
		options: []option{
			{value: "DIR", usage: "what synth or sample has written: its output", required: true, set: text(&c.Dir)},
			{name: "digest", value: "HEX", usage: "the digest from the last lines of the run, kept elsewhere", set: text(&c.Digest)},
		},
		check: func(ctx context.Context) (err error) { req, err = pipelines.ValidateVerify(ctx, *c); return err },
		run: func(ctx context.Context, out io.Writer) error {
			v, err := pipelines.Verify(ctx, req)
			if err != nil {
				return err
			}
			return v.WriteText(out)
		},
	}
}

func ledgerCommand() command {
	c := &pipelines.LedgerConfig{}
	return command{
		name:    "ledger",
		summary: "make or print a budget book: what all runs on a table may lose, and have lost",
		example: "dapple ledger a.book --create=us --input=us.csv --privacy_id=id --epsilon=3 --delta=1e-9",
		options: []option{
			{value: "BOOK", usage: "its directory, local, gs:// or s3://", required: true, set: text(&c.Dir)},
			{name: "create", value: "NAME", usage: "make the book of the data set of this name; its terms never change", set: text(&c.Create)},
			{name: "input", value: "TABLE", usage: "the table, as runs name it; of a book that is there: another place of it", set: text(&c.Input)},
			{name: "epsilon", value: "E", usage: "ε of all runs together: losses add up as squares, not as ε", set: epsilon(&c.Epsilon)},
			{name: "delta", value: "D", usage: "δ of all runs together; 0 admits pure runs only", set: delta(&c.Delta)},
			{name: "neighbouring", value: "REL", usage: "add_remove (default) or replace: that of its runs", set: relation(&c.Neighbouring)},
			{name: "privacy_id", value: "COLUMN", usage: "privacy_id of its domain files; default: every record is a privacy unit", set: text(&c.PrivacyID)},
			{name: "mixed", usage: "admit methods that select too, such as dpfw, with a little less room", set: toggle(&c.Mixed)},
			{name: "check", value: "DIR,…", usage: "outputs of runs: fail unless the book has the entries that charged them", set: list(&c.Check)},
		},
		check: func(ctx context.Context) error { return pipelines.ValidateLedger(ctx, *c) },
		run:   func(ctx context.Context, out io.Writer) error { return pipelines.Ledger(ctx, out, *c) },
	}
}

func reportCommand() command {
	c := &pipelines.ReportConfig{}
	var req *pipelines.ReportRequest
	return command{
		name:    "report",
		summary: "draw the privacy report again, or records for catalogues, from released files alone",
		example: "dapple report out --about=about.yaml --registry=record.yaml --croissant=croissant.json",
		options: []option{
			{value: "DIR", usage: "what synth has written: its output", required: true, set: text(&c.Dir)},
			{name: "html", value: "FILE", usage: "the page to write, local or gs://; default: report.html", set: text(&c.HTML)},
			{name: "registry", value: "FILE", usage: "a record for OpenDP's registry of deployments, as a draft", set: text(&c.Registry)},
			{name: "croissant", value: "FILE", usage: "the rows in Croissant's form, for catalogues of data sets", set: text(&c.Croissant)},
			{name: "openlineage", value: "FILE", usage: "two OpenLineage events, START and COMPLETE, with what is promised", set: text(&c.Lineage)},
			{name: "about", value: "FILE", usage: "what only you know: see dapple help about; before what synth was told", set: text(&c.About)},
		},
		check: func(ctx context.Context) (err error) { req, err = pipelines.ValidateReport(ctx, *c); return err },
		run:   func(ctx context.Context, out io.Writer) error { return pipelines.Report(ctx, req, out) },
	}
}

func evaluateCommand() command {
	c := &evaluate.Config{}
	var req *evaluate.Request
	return command{
		name:    "evaluate",
		summary: "compare a synthetic table with the TRUE one: its output is NOT private",
		example: "dapple evaluate --domain=people.yaml --input=people.csv --synthetic=out --html=errors.html",
		options: append([]option{
			{name: "domain", value: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
			{name: "input", value: "TABLE", usage: "the true table: files, a pattern, or a bq:// table", required: true, set: text(&c.Input)},
			{name: "people_input", value: "TABLE", usage: "the true table of all people, if some have no rows", set: text(&c.People)},
			{name: "synthetic", value: "DIR", usage: "the synthetic table: a released directory or files", required: true, set: text(&c.Synthetic)},
			{name: "holdout", value: "FILES", usage: "true rows that the synthesis never saw", set: text(&c.Holdout)},
			{name: "marginals", value: "K", usage: "widest marginals compared, default 3", set: whole(&c.Marginals, 8)},
			{name: "max_cells", value: "N", usage: "largest marginals compared, default 10000 cells", set: whole(&c.MaxCells, 10_000_000)},
			{name: "json", value: "FILE", usage: "write the figures as JSON too, local or gs://", set: text(&c.JSON)},
			{name: "html", value: "FILE", usage: "write pictures, real beside synthetic, as one page: NOT private", set: text(&c.HTML)},
		}, readingServices(&c.Services)...),
		check: func(ctx context.Context) (err error) { req, err = openTables(ctx, *c); return err },
		run:   func(ctx context.Context, out io.Writer) error { return req.Run(ctx, out) },
	}
}

// openTables finds every fault of a request to compare tables.
func openTables(ctx context.Context, c evaluate.Config) (*evaluate.Request, error) {
	var faults pipelines.Faults
	if c.Domain != "" {
		faults = pipelines.DomainFaults(ctx, c.Domain)
	}
	faults = append(faults, placeFaults(ctx, "--json", c.JSON)...)
	faults = append(faults, placeFaults(ctx, "--html", c.HTML)...)
	if len(faults) == 0 {
		c.Released = pipelines.LearnedDomain(ctx, c.Synthetic)
	}
	req, err := evaluate.Open(ctx, c)
	return req, append(faults, fieldFaults(err)...).Err()
}

// fieldFaults finds the faults of a request to read the true table, but for those of the domain file and of
// flags that are missing.
func fieldFaults(err error) (faults pipelines.Faults) {
	var fields evaluate.FieldErrors
	errors.As(err, &fields)
	for _, f := range fields {
		flag := "--" + strings.ToLower(f.Field)
		if f.Field == "People" {
			flag = "--people_input"
		}
		if f.Field != "Domain" && !errors.Is(f.Err, evaluate.ErrMissing) { // said elsewhere
			faults = append(faults, pipelines.ErrorFaults(flag, f.Err)...)
		}
	}
	return faults
}

func checkCommand() command {
	c := &evaluate.CheckConfig{}
	var req *evaluate.CheckRequest
	return command{
		name:    "check",
		summary: "count the cells of the TRUE table that do not fit the domain: its output is NOT private",
		example: "dapple check --domain=people.yaml --input=people.csv",
		options: append([]option{
			{name: "domain", value: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
			{name: "input", value: "TABLE", usage: "the true table: files, a pattern, or a bq:// table", required: true, set: text(&c.Input)},
			{name: "people_input", value: "TABLE", usage: "the true table of all people, if some have no rows", set: text(&c.People)},
			{name: "json", value: "FILE", usage: "write the counts as JSON too, local or gs://", set: text(&c.JSON)},
		}, readingServices(&c.Services)...),
		check: func(ctx context.Context) (err error) {
			var faults pipelines.Faults
			if c.Domain != "" {
				faults = pipelines.DomainFaults(ctx, c.Domain)
			}
			faults = append(faults, placeFaults(ctx, "--json", c.JSON)...)
			req, err = evaluate.OpenCheck(ctx, *c)
			return append(faults, fieldFaults(err)...).Err()
		},
		run: func(ctx context.Context, out io.Writer) error { return req.Run(ctx, out) },
	}
}

func cleanCommand() command {
	output := ""
	return command{
		name:    "clean",
		summary: "remove what unfinished runs have left on this machine, also releases kept for a rerun",
		example: "dapple clean --output=out",
		options: []option{{name: "output", value: "DIR", usage: "directory whose staged rows are removed too", set: text(&output)}},
		check:   func(context.Context) error { return pipelines.ValidateClean(output) },
		run:     func(ctx context.Context, out io.Writer) error { return pipelines.Clean(ctx, output, out) },
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
