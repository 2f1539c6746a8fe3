package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/pipelines"
	"github.com/dapple-dp/dapple/pipelines/evaluate"
	"github.com/dapple-dp/dapple/pipelines/plan"
)

// command is one word after dapple: its flags, and what it does once they are read.
type command struct {
	name    string
	does    string // one line
	example string
	options []option
	check   func() error // finds every fault of the request, also when some flags could not be read
	run     func(ctx context.Context, out io.Writer) error
}

// commands returns every command, each with a fresh configuration behind its flags.
func commands(progress io.Writer, terminal bool) []command {
	return []command{planCommand(), synthCommand(progress, terminal), sampleCommand(progress, terminal), evaluateCommand()}
}

func planCommand() command {
	c := &pipelines.Config{}
	var req *pipelines.Request
	return command{
		name:    "plan",
		does:    "validate a request; print its domain, workload, method, every privacy charge, predicted error and cost; reads no data",
		example: "dapple plan --domain=people.yaml --input=people.csv --output=out --epsilon=1 --delta=1e-9 --expected_rows=50000",
		options: requestOptions(c),
		check:   func() (err error) { req, err = pipelines.Validate(*c); return err },
		run: func(_ context.Context, out io.Writer) error {
			p, err := req.Plan()
			if err != nil {
				return err
			}
			return plan.WriteText(out, p)
		},
	}
}

func synthCommand(progress io.Writer, terminal bool) command {
	c := &pipelines.Config{Progress: progress, Terminal: terminal}
	quiet := false
	var req *pipelines.Request
	opts := append(requestOptions(c),
		option{name: "quiet", usage: "no progress", set: toggle(&quiet)})
	return command{
		name:    "synth",
		does:    "turn a private table into synthetic rows, a model and a privacy statement; spends the privacy budget",
		example: "dapple synth --domain=people.yaml --input=people.csv --output=out --epsilon=1 --delta=1e-9",
		options: opts,
		check: func() (err error) {
			if quiet {
				c.Progress = nil
			}
			req, err = pipelines.Validate(*c)
			return err
		},
		run: func(ctx context.Context, out io.Writer) error {
			beam.Init()
			res, err := pipelines.Run(ctx, req)
			if err != nil {
				return err
			}
			return res.WriteText(out)
		},
	}
}

func sampleCommand(progress io.Writer, terminal bool) command {
	c := &pipelines.SampleConfig{Progress: progress, Terminal: terminal}
	quiet := false
	var req *pipelines.SampleRequest
	opts := []option{
		{name: "model", arg: "FILE", usage: "_model.arrow of a released directory", required: true, set: text(&c.Model)},
		{name: "output", arg: "DIR", usage: "directory for the rows", required: true, set: text(&c.Output)},
		{name: "format", arg: "FORMAT", usage: "parquet (default) or csv", set: oneOf(&c.Format, "parquet", "csv")},
		{name: "rows", arg: "N", usage: "rows to write; default: as many as the model stands for", set: whole(&c.Rows, 1_000_000_000_000)},
		{name: "where", arg: "CONDITION", usage: "only cells that meet it, such as 'age>=65 AND sex=Female'", set: text(&c.Where)},
		{name: "sample_seed", arg: "N", usage: "repeats the sampling", set: seed(&c.SampleSeed, &c.HasSampleSeed)},
		{name: "shards", arg: "N", usage: "output files, default 8", set: whole(&c.Shards, pipelines.MaxShards)},
		{name: "overwrite", usage: "replace what stands in the output directory", set: toggle(&c.Overwrite)},
		{name: "runner", arg: "NAME", usage: "prism (default) or direct", set: text(&c.Runner)},
		{name: "quiet", usage: "no progress", set: toggle(&quiet)},
	}
	return command{
		name:    "sample",
		does:    "draw more rows from a released model, at no privacy cost",
		example: "dapple sample --model=out/_model.arrow --output=more --rows=100000 --where='age>=65 AND sex=Female'",
		options: opts,
		check: func() (err error) {
			if quiet {
				c.Progress = nil
			}
			req, err = pipelines.ValidateSample(*c)
			return err
		},
		run: func(ctx context.Context, out io.Writer) error {
			beam.Init()
			res, err := pipelines.RunSample(ctx, req)
			if err != nil {
				return err
			}
			return res.WriteText(out)
		},
	}
}

// requestOptions are the flags that plan and synth share.
func requestOptions(c *pipelines.Config) []option {
	return []option{
		{name: "domain", arg: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
		{name: "input", arg: "FILES", usage: "the private table: a CSV file or glob", required: true, set: text(&c.Input)},
		{name: "output", arg: "DIR", usage: "directory for the rows", required: true, set: text(&c.Output)},
		{name: "format", arg: "FORMAT", usage: "parquet (default) or csv", set: oneOf(&c.Format, "parquet", "csv")},
		{name: "release", arg: "DIR", usage: "directory for report and model; default: the output directory", set: text(&c.Release)},
		{name: "epsilon", arg: "E", usage: "ε, a decision that has no default", required: true, set: epsilon(&c.Epsilon)},
		{name: "delta", arg: "D", usage: "δ, a decision that has no default; 0 is pure", required: true, set: delta(&c.Delta)},
		{name: "neighbouring", arg: "REL", usage: "add_remove (default) or replace", set: relation(&c.Neighbouring)},
		{name: "rows", arg: "N", usage: "rows to write; default: the released number of privacy units", set: whole(&c.Rows, 1_000_000_000_000)},
		{name: "expected_rows", arg: "N", usage: "public planning number of privacy units", set: whole(&c.ExpectedRows, 1_000_000_000_000)},
		{name: "marginals", arg: "K", usage: "widest marginal of the workload, default 3", set: whole(&c.Marginals, 8)},
		{name: "max_cells", arg: "N", usage: "largest marginal of the workload in cells, default 10000", set: whole(&c.MaxCells, 10_000_000)},
		{name: "method", arg: "NAME", usage: "auto (default) or a solver's name; plan lists them", set: text(&c.Method)},
		{name: "memory_limit", arg: "BYTES", usage: "memory for the solve, default 2 GiB", set: whole(&c.MemoryLimit, 1<<50)},
		{name: "sample_seed", arg: "N", usage: "repeats the sampling step, never the noise", set: seed(&c.SampleSeed, &c.HasSampleSeed)},
		{name: "shards", arg: "N", usage: "output files, default 8", set: whole(&c.Shards, pipelines.MaxShards)},
		{name: "overwrite", usage: "replace what stands in the output directory", set: toggle(&c.Overwrite)},
		{name: "strict", usage: "fail on an unreadable cell, with its position: for the data owner's own eyes", set: toggle(&c.Strict)},
		{name: "runner", arg: "NAME", usage: "prism (default) or direct", set: text(&c.Runner)},
	}
}

func evaluateCommand() command {
	c := &evaluate.Config{}
	return command{
		name:    "evaluate",
		does:    "compare a synthetic table with the TRUE one; pays nothing, so its output is NOT private",
		example: "dapple evaluate --domain=people.yaml --input=people.csv --synthetic=out --json=errors.json",
		options: []option{
			{name: "domain", arg: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
			{name: "input", arg: "FILES", usage: "the true table", required: true, set: text(&c.Input)},
			{name: "synthetic", arg: "DIR", usage: "the synthetic table: a released directory or files", required: true, set: text(&c.Synthetic)},
			{name: "holdout", arg: "FILES", usage: "true rows that the synthesis never saw", set: text(&c.Holdout)},
			{name: "marginals", arg: "K", usage: "widest marginal compared, default 3", set: whole(&c.Marginals, 8)},
			{name: "max_cells", arg: "N", usage: "largest marginal compared in cells, default 10000", set: whole(&c.MaxCells, 10_000_000)},
			{name: "json", arg: "FILE", usage: "write the figures as JSON too", set: text(&c.JSON)},
		},
		check: func() error { return evaluateFaults(*c) },
		run:   func(ctx context.Context, out io.Writer) error { return evaluate.Run(ctx, *c, out) },
	}
}

// exitStatus says how the process ends: 0 done, 1 the run failed, 2 the request was wrong.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case pipelines.IsRequest(err):
		return 2
	}
	return 1
}

// say prints err the way a person reads it: every fault on a line of its own.
func say(w io.Writer, err error) {
	var faults pipelines.Faults
	if errors.As(err, &faults) {
		if len(faults) > 1 {
			fmt.Fprintf(w, "dapple: %d things to mend; nothing was read or written\n", len(faults))
		} else {
			fmt.Fprintln(w, "dapple: one thing to mend; nothing was read or written")
		}
		for _, f := range faults {
			fmt.Fprintf(w, "  %s\n", f)
		}
		return
	}
	fmt.Fprintf(w, "dapple: %v\n", err)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// evaluateFaults finds every fault of a request to compare tables.
func evaluateFaults(c evaluate.Config) error {
	var faults pipelines.Faults
	for _, f := range []struct{ flag, path string }{{"--domain", c.Domain}, {"--synthetic", c.Synthetic}} {
		if f.path == "" {
			continue // said already: the flag is required
		}
		if _, err := os.Stat(f.path); err != nil {
			faults = append(faults, pipelines.Fault{Where: f.flag, What: f.path + ": no such file or directory", Mend: "check the path"})
		}
	}
	return faults.Err()
}
