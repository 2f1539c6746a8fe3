// Package pipelines makes whole runs from a Go program, as the command dapple makes them: files and tables in, rows with
// their statement, model and report out.
//
//	result, err := pipelines.Synth(ctx, pipelines.Config{Domain: "people.yaml", Input: "people.csv", Output: "out", Epsilon: 1, Delta: 1e-9})
//
// Plan says beforehand what a run would do, at no privacy cost. Sample draws more rows of a released model. Formats and
// places are those that the program imports: see package table. What else the command can do is the command's alone. For an
// existing pipeline use synth.Synthesize.
//
// # User IDs without a name
//
// Apache Beam panics before main if the process runs under a user ID that has no name, as in many containers. A program
// that imports this package starts there if it is built without cgo, or with -tags=osusergo. The package then sets USER
// and HOME where they are missing: HOME to /.
package pipelines

import (
	"context"
	"io"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/pipelines"
)

// Config is a request for synthetic rows of a table. Fields are the flags of dapple synth by these names; zero fields mean
// their defaults.
type Config struct {
	Domain  string // domain file; required
	Input   string // file, glob, directory of an earlier run, or table; required, but for Plan
	Output  string // directory or table; required, but for Plan
	Format  string // parquet (default), csv, or another that the program imports
	Release string // directory of statement, model and manifest; default: Output with ".release" behind it, if that is a directory
	Ledger  string // directory of the data set's budget book; default: none
	Store   string // directory or place for what is not published yet; default: next to a remote output, else of this machine
	RunID   string // of a run that may have begun: it is finished, and paid for once; default: random

	Epsilon      dp.Epsilon // required
	Delta        dp.Delta   // 0 is pure differential privacy
	Neighbouring dp.Neighbouring

	Rows         int64 // rows to write; default: the released number of people
	ExpectedRows int64 // public planning number of people; default: the domain file's
	Marginals    int   // columns of the widest marginal of the workload
	Method       string

	Overwrite bool              // of directories: the older release stays until the new one is whole
	Write     string            // of tables: empty (default), truncate or append
	Labels    map[string]string // of tables and jobs
	Services  table.Options     // of places; see their packages
	Progress  io.Writer         // where progress goes; default: nowhere
}

// SampleConfig is a request for rows of a released model. Fields are the flags of dapple sample by these names; zero fields
// mean their defaults.
type SampleConfig struct {
	Model  string // a directory of a finished run, or its _model.arrow; required
	Where  string // only rows that meet it, such as "age >= 65 AND sex = Female"
	Output string // directory or table; required
	Format string // parquet (default), csv, or another that the program imports
	Store  string // directory for the model while rows are drawn; default: next to a remote output, else of this machine

	Rows   int64 // default: the released number of people
	Shards int   // output files; default: one, and up to 8 of large tables

	Overwrite bool              // of directories
	Write     string            // of tables: empty (default), truncate or append
	Labels    map[string]string // of tables and jobs
	Services  table.Options     // of places; see their packages
	Progress  io.Writer         // where progress goes; default: nowhere
}

// Result is what the command would print.
type Result interface {
	WriteText(w io.Writer) error // the last lines, for people
	JSON() ([]byte, error)       // the same for programs, as with --json: docs/reference/results.md
}

func (c Config) request() pipelines.Config {
	return pipelines.Config{
		Domain: c.Domain, Input: c.Input, Output: c.Output, Format: c.Format, Release: c.Release, Ledger: c.Ledger, Store: c.Store,
		RunID: c.RunID, Epsilon: c.Epsilon, Delta: c.Delta, Neighbouring: c.Neighbouring, Rows: c.Rows, ExpectedRows: c.ExpectedRows,
		Marginals: c.Marginals, Method: c.Method, Overwrite: c.Overwrite, Write: c.Write, Labels: c.Labels, Services: c.Services,
		Progress: c.Progress,
	}
}

// Validate finds every fault of a request at once, before anything private is read. Synth does the same first.
func Validate(ctx context.Context, c Config) error {
	_, err := pipelines.ValidateRun(ctx, c.request())
	return err
}

// Plan predicts error and cost of a request. It sees public facts alone.
func Plan(ctx context.Context, c Config) (Result, error) {
	r, err := pipelines.ValidatePlan(ctx, pipelines.PlanConfig{Config: c.request()})
	if err != nil {
		return nil, err
	}
	p, err := r.Plan()
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Synth publishes the rows of a request with their statement, and spends its budget once. A run that ends early publishes
// nothing; with a RunID the next one finishes it.
func Synth(ctx context.Context, c Config) (Result, error) {
	r, err := pipelines.ValidateRun(ctx, c.request())
	if err != nil {
		return nil, err
	}
	res, err := pipelines.Run(ctx, r)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// Sample publishes rows of a released model, at no privacy cost.
func Sample(ctx context.Context, c SampleConfig) (Result, error) {
	r, err := pipelines.ValidateSample(ctx, pipelines.SampleConfig{
		Model: c.Model, Where: c.Where, Output: c.Output, Format: c.Format, Store: c.Store, Rows: c.Rows, Shards: c.Shards,
		Overwrite: c.Overwrite, Write: c.Write, Labels: c.Labels, Services: c.Services, Progress: c.Progress,
	})
	if err != nil {
		return nil, err
	}
	s, err := pipelines.RunSample(ctx, r)
	if err != nil {
		return nil, err
	}
	return s, nil
}
