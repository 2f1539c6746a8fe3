package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines"
)

// command is one word after dapple: its flags, and what it does once they are read.
type command struct {
	name    string
	group   string // its heading in help
	summary string // one line
	example string
	words   []string // the options that words without a flag stand for
	options []option
	beam    bool                            // runs a pipeline
	check   func(ctx context.Context) error // finds every fault of the request, also when some flags could not be read
	run     func(ctx context.Context, out io.Writer) error
}

// commands returns every command, each with a fresh configuration behind its flags.
func commands(progress io.Writer, terminal bool) []command {
	all := []command{inferCommand(), planCommand(), synthCommand(progress, terminal), sampleCommand(progress, terminal),
		checkCommand(), evaluateCommand(), queryCommand(), verifyCommand(), reportCommand(), ledgerCommand(), cleanCommand(), expandCommand()}
	for i := range all {
		if !slices.ContainsFunc(all[i].options, func(o option) bool { return o.name == "quiet" }) {
			var quiet, asJSON bool
			all[i].options = append(all[i].options, progressOptions(&quiet, &asJSON)...)
		}
	}
	return all
}

func planCommand() command {
	c := &pipelines.PlanConfig{}
	var req *pipelines.PlanRequest
	json := ""
	var found *pipelines.FoundPlan // nil: there is a domain file
	opts := requestOptions(&c.Config)
	for i := range opts {
		switch o := &opts[i]; o.name {
		case "input", "output":
			o.required = false
		case "domain":
			o.required, o.usage = false, "the domain file; of one with open parts, or none, plan says what can be found"
		case "epsilon":
			o.usage, o.required = "ε; --target_error in its place asks for the least that suffices", false
		case "sample_seed", "strict", "overwrite":
			o.hidden = true // accepted, so that synth can become plan, and no part of a plan
		default:
			o.hidden = o.group == groupEngines || o.group == groupWhere && o.name != "memory_limit"
		}
	}
	var flags recorded
	flags.record(opts)
	opts = append(opts,
		option{name: "target_error", group: groupPrivacy, value: "TV", usage: "wanted average total variation, such as 0.02: plan finds ε", set: fraction(&c.TargetError)},
		option{name: "target", group: groupPrivacy, value: "WHAT", usage: "its marginals: 1-way, 2-way, 3-way, column:NAME or columns:A,B", set: text(&c.Target)},
		option{name: "like", group: groupWhat, value: "DIR", usage: "predict errors of a table like this earlier release, not of a typical one", set: text(&c.Like)},
		option{name: "columns", group: groupWhat, value: "K", usage: "without --domain and --input: how many columns the table has", set: whole(&c.Columns, 10_000)},
		option{name: "privacy_id", group: groupPrivacy, value: "COLUMN|none", usage: "without --domain: the column of --input that names the people, or none", set: text(&c.PrivacyID)},
		domainShareOption(&c.DomainShare),
		jsonOption(&json))
	return command{
		name:    "plan",
		group:   groupMake,
		words:   []string{"domain"},
		summary: "say what synth would do, promise and cost, without opening the table",
		example: "dapple plan people.yaml --delta=1e-9 --target_error=0.02",
		options: opts,
		check: func(ctx context.Context) (err error) {
			if pipelines.Finds(ctx, &c.Config) {
				found, err = pipelines.PlanFound(ctx, *c)
			} else {
				req, err = pipelines.ValidatePlan(ctx, *c)
			}
			return withPlace(ctx, err, "--json", json)
		},
		run: func(ctx context.Context, out io.Writer) error {
			if found != nil {
				return writeResult(ctx, out, json, found)
			}
			p, err := req.Plan()
			if err != nil {
				return err
			}
			return writeResult(ctx, out, json, planned{p, flags})
		},
	}
}

func synthCommand(progress io.Writer, terminal bool) command {
	c := &pipelines.Config{Progress: progress, Terminal: terminal}
	quiet, json := false, ""
	var req *pipelines.Request
	var find *pipelines.FindRequest // nil: there is a domain file
	opts := append(append(requestOptions(c), jsonOption(&json)), progressOptions(&quiet, &c.LogJSON)...)
	for i := range opts {
		if opts[i].name == "domain" {
			opts[i].required, opts[i].usage = false, "the domain file; its open parts, or all without one, are found within the budget"
		}
	}
	opts = append(opts,
		option{name: "privacy_id", group: groupPrivacy, value: "COLUMN|none", usage: "without --domain: the column that names the people, or none", set: text(&c.PrivacyID)},
		domainShareOption(&c.DomainShare),
		option{name: "columns", group: groupWhat, value: "all", choices: []string{"all"}, usage: "without --domain: end without rows if a column would be left out", set: func(s string) error {
			if c.AllColumns = s == "all"; !c.AllColumns {
				return errors.New("want all, or leave it out")
			}
			return nil
		}})
	return command{
		name:    "synth",
		group:   groupMake,
		words:   []string{"input"},
		summary: "turn a private table into synthetic rows, a model and a privacy statement",
		example: "dapple synth people.csv --domain=people.yaml --output=out --epsilon=1 --delta=1e-9",
		options: opts,
		beam:    true,
		check: func(ctx context.Context) (err error) {
			if quiet {
				c.Progress = nil
			}
			if pipelines.Finds(ctx, c) {
				find, err = pipelines.ValidateFind(ctx, *c)
			} else {
				req, err = pipelines.ValidateRun(ctx, *c)
			}
			return withPlace(ctx, err, "--json", json)
		},
		run: func(ctx context.Context, out io.Writer) error {
			var res *pipelines.Result
			var err error
			if find != nil {
				res, err = pipelines.RunFound(ctx, find)
			} else {
				res, err = pipelines.Run(ctx, req)
			}
			if err != nil {
				return err
			}
			if err := writeResult(ctx, out, json, res); err != nil {
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
	c.Services = services()
	job, experiments, json := "", "", ""
	opts := []option{
		{name: "model", group: groupWhat, value: "DIR", usage: "the output of synth, or its _model.arrow", set: text(&c.Model)},
		{name: "domain", group: groupWhat, value: "FILE", usage: "in place of a model: dry rows of a domain file, without data or ε, marked so", set: text(&c.Domain)},
		{name: "where", group: groupWhat, value: "CONDITION", usage: "as in SQL: 'age >= 65 AND ward NOT IN (A, B)'; of people: their own columns", set: text(&c.Where)},
		{name: "output", group: groupOutput, value: "DIR", usage: "directory or bq:// table for the rows", required: true, set: text(&c.Output)},
		{name: "rows", group: groupOutput, value: "N", usage: "rows to write; default: as many as the model stands for", set: whole(&c.Rows, mostRows)},
		{name: "people", group: groupOutput, value: "N", usage: "of people with many rows each: people to write, each with all rows", set: whole(&c.NumPeople, mostRows)},
		{name: "draws", group: groupOutput, value: "M", usage: "M tables that the true one may be, in DIR_01 and so on", set: whole(&c.Draws, pipelines.MostDraws)},
		formatOption(&c.Format), nullOption(&c.Null), layoutOption(&c.Tables), shardsOption(&c.Shards), overwriteOption(&c.Overwrite),
	}
	opts = append(opts, seedOption(&c.SampleSeed, &c.HasSampleSeed))
	opts = append(opts, writingTables(&c.Write, &c.Labels)...)
	opts = append(opts, option{name: "runner", group: groupWhere, value: "NAME", def: "prism", usage: "prism or direct", set: text(&c.Runner)}, storeOption(&c.Store), project(&c.Services))
	opts = append(opts, beamOptions(&job, &experiments)...)
	opts = append(append(opts, jsonOption(&json)), progressOptions(&quiet, &c.LogJSON)...)
	return command{
		name:    "sample",
		group:   groupMake,
		words:   []string{"model"},
		summary: "draw more rows from a released model, at no privacy cost",
		example: "dapple sample out --output=more --where='age>=65 AND sex=Female'",
		options: opts,
		beam:    true,
		check: func(ctx context.Context) (err error) {
			if quiet {
				c.Progress = nil
			}
			req, err = pipelines.ValidateSample(ctx, *c)
			return withPlace(ctx, err, "--json", json)
		},
		run: func(ctx context.Context, out io.Writer) error {
			var res interface {
				result
				Unprinted(err error) error
			}
			var err error
			if c.Draws > 0 {
				res, err = pipelines.RunDraws(ctx, req)
			} else {
				res, err = pipelines.RunSample(ctx, req)
			}
			if err != nil {
				return err
			}
			if err := writeResult(ctx, out, json, res); err != nil {
				return res.Unprinted(err)
			}
			return nil
		},
	}
}

// planned is a plan with the command that carries it out.
type planned struct {
	*pipelines.Plan
	flags recorded
}

// WriteText writes the plan and the next command.
func (p planned) WriteText(out io.Writer) error {
	units := 0.0
	if p.Like {
		units = p.Problem.Units
	}
	if err := p.Plan.WriteText(out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "next      %s\n", p.flags.synth(p.Problem, units))
	return err
}

// result is what a command has to say, to people and to programs.
type result interface {
	WriteText(io.Writer) error
	JSON() ([]byte, error)
}

// writeResult writes a result as text; as JSON besides to a file, or in place of the text to standard output.
func writeResult(ctx context.Context, out io.Writer, json string, r result) error {
	if json == "" {
		return r.WriteText(out)
	}
	b, err := r.JSON()
	switch {
	case err != nil:
		return err
	case json == standard:
		_, err = out.Write(b)
		return err
	}
	if err := files.Replace(ctx, json, b); err != nil {
		return err
	}
	return r.WriteText(out)
}

// withPlace adds to the faults of a request the fault of a file's place.
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
	json := ""
	return command{
		name:    "verify",
		group:   groupJudge,
		words:   []string{"dir"},
		summary: "check that rows, statement and model are as a run wrote them and belong together",
		example: "dapple verify out",
		options: []option{
			{name: "dir", group: groupWhat, word: true, value: "DIR", usage: "the output of synth or sample", required: true, set: text(&c.Dir)},
			{name: "digest", group: groupWhat, value: "HEX", usage: "the digest from the last lines of the run, kept elsewhere", set: text(&c.Digest)},
			jsonOption(&json),
		},
		check: func(ctx context.Context) (err error) {
			req, err = pipelines.ValidateVerify(ctx, *c)
			return withPlace(ctx, err, "--json", json)
		},
		run: func(ctx context.Context, out io.Writer) error {
			v, err := pipelines.Verify(ctx, req)
			if err != nil {
				return err
			}
			return writeResult(ctx, out, json, v)
		},
	}
}

func ledgerCommand() command {
	c := &pipelines.LedgerConfig{}
	return command{
		name:    "ledger",
		group:   groupKeep,
		words:   []string{"book"},
		summary: "make or print a budget book: what all runs on a table may lose, and have lost",
		example: "dapple ledger a.book --create=us --input=us.csv --privacy_id=id --epsilon=3 --delta=1e-9",
		options: []option{
			{name: "book", group: groupWhat, word: true, value: "BOOK", variable: "DAPPLE_LEDGER", usage: "the directory of the book, local, gs:// or s3://", required: true, set: text(&c.Dir)},
			{name: "create", group: groupWhat, value: "NAME", usage: "make the book of the data set of this name; its terms never change", set: text(&c.Create)},
			{name: "input", group: groupWhat, value: "TABLE", usage: "the table, as runs name it; of a book that is there: another place of it", set: text(&c.Input)},
			{name: "epsilon", group: groupPrivacy, value: "E", usage: "ε of all runs together: losses add up as squares, not as ε", set: epsilon(&c.Epsilon)},
			{name: "delta", group: groupPrivacy, value: "D", usage: "δ of all runs together; 0 admits pure runs only", set: delta(&c.Delta)},
			{name: "neighbouring", group: groupPrivacy, value: "REL", def: "add_remove", choices: []string{"add_remove", "replace"}, usage: "add_remove or replace: the relation of its runs", set: relation(&c.Neighbouring)},
			{name: "privacy_id", group: groupPrivacy, value: "COLUMN|none", usage: "privacy_id of its domain files; default: none, every record is another person", set: unit(&c.PrivacyID)},
			{name: "mixed", group: groupPrivacy, usage: "admit methods that select too, such as dpfw, with a little less room", set: toggle(&c.Mixed)},
			{name: "check", group: groupWhat, value: "DIR,…", usage: "outputs of runs: fail unless each has an entry of its own in the book", set: list(&c.Check)},
			{name: "like", group: groupWhat, value: "EPSILON,DELTA", usage: "say how many more runs of this ε and δ fit", set: text(&c.Like)},
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
		group:   groupJudge,
		words:   []string{"dir"},
		summary: "draw the privacy report again, or records for catalogues, from released files alone",
		example: "dapple report out --about=about.yaml --registry=record.yaml --croissant=croissant.json",
		options: []option{
			{name: "dir", group: groupWhat, word: true, value: "DIR", usage: "the output of synth", required: true, set: text(&c.Dir)},
			{name: "html", group: groupOutput, value: "FILE", usage: "the page to write (default report.html)", set: text(&c.HTML)},
			{name: "registry", group: groupOutput, value: "FILE", usage: "a record for OpenDP's registry of deployments, as a draft", set: text(&c.Registry)},
			{name: "croissant", group: groupOutput, value: "FILE", usage: "the rows in Croissant's form, for catalogues of data sets", set: text(&c.Croissant)},
			{name: "about", group: groupOutput, value: "FILE", variable: "DAPPLE_ABOUT", usage: "texts in place of synth's; dapple help about lists the keys", set: text(&c.About)},
		},
		check: func(ctx context.Context) (err error) { req, err = pipelines.ValidateReport(ctx, *c); return err },
		run:   func(ctx context.Context, out io.Writer) error { return pipelines.Report(ctx, req, out) },
	}
}

func cleanCommand() command {
	c := &pipelines.CleanConfig{}
	return command{
		name:    "clean",
		group:   groupKeep,
		words:   []string{"output"},
		summary: "list what unfinished runs have left on this machine, or remove what is left of an output",
		example: "dapple clean out",
		options: []option{
			{name: "output", value: "DIR", usage: "the output of the runs whose files are removed; default: all are listed", set: text(&c.Output)},
			storeOption(&c.Store),
			{name: "releases", usage: "remove releases that are paid for too; without DIR: everything", set: toggle(&c.Releases)},
		},
		check: func(context.Context) error { return pipelines.ValidateClean(*c) },
		run:   func(ctx context.Context, out io.Writer) error { return pipelines.Clean(ctx, out, *c) },
	}
}
