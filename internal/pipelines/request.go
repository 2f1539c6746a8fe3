package pipelines

import (
	"errors"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/solver"
)

// Config is one request to synthesise a table. Zero fields mean their defaults; fields without a
// default are required.
type Config struct {
	// Files and directories are of this machine, or of Cloud Storage, gs://bucket/path; tables are of
	// BigQuery, bq://project.dataset.table.

	Domain  string // domain file; empty: the domain is found, see Finds
	Input   string // file of CSV, Parquet, JSON lines, Avro or Arrow, glob, directory that a run wrote, or table; required
	Output  string // directory or table; required
	Format  string // parquet (default), csv, or another that the program imports
	Null    string // how CSV output spells NULL; default: an empty cell
	People  string // table of people, in the forms of Input: their privacy ID and columns; for a domain with people without rows
	Ledger  string // directory of the data set's budget book; empty: none
	Release string // directory of statement, model and manifest; default: Output with ".release" behind it, if that is a directory

	About string // file of what only the curator knows, for statement and report; default: none

	Epsilon      dp.Epsilon // required
	Delta        dp.Delta   // 0 is pure differential privacy
	Neighbouring dp.Neighbouring

	Rows         int64   // rows to write; 0: the released number of units
	Criteria     string  // such as "age,sex<=0.02; race<=0.01": whether the model's errors are at most these is checked and released
	ErrorShare   float64 // part of the budget with which the error is measured; default solver.DefaultErrorShare; below 0: none
	AcceptDelta  bool    // a δ above 1/(2·planned units) or 1e-3 is meant
	ExpectedRows int64   // public planning number of units; 0: the domain file's, or solver.DefaultUnits
	Marginals    int     // widest marginal of the workload; default query.DefaultWidth, or 2 beyond query.MaxMarginals
	MaxCells     int64   // largest marginal of the workload, in cells; default query.DefaultCells
	Method       string
	MemoryLimit  int64 // bytes for the solve; default solver.DefaultMemoryLimit

	SampleSeed    uint64            // of the sampling step, never of the noise
	HasSampleSeed bool              // false: a random one
	Shards        int               // output files; default: one, and up to 8 of large tables; 1..10,000
	Tables        bool              // people and their rows as two tables, for a domain with events
	Overwrite     bool              // of directories: the older release stays until the new one is whole (claim P69)
	Write         string            // of tables: empty (default), truncate or append
	Labels        map[string]string // of tables and jobs; launchers give some to every run
	Strict        bool              // fail on an unreadable cell, with its position
	Runner        string            // prism (default) or direct, in this process; or the runner of Engine
	Engine        Engine            // job service; the zero Engine: the run is in this process
	RunID         string            // of a run that may have begun: it is finished, and paid for once; default: random
	Again         bool              // a run of this ID that the book has charged and that left nothing is charged again
	Store         string            // directory or place for what is not published yet; default: next to a remote output, else of this machine
	Services      table.Options

	Progress io.Writer // where progress goes; nil: nowhere
	Terminal bool      // Progress is a terminal
	LogJSON  bool      // progress is a JSON object a line

	// PrivacyID is the column that names the people, or schema.NoPrivacyID; of requests whose domain is found.
	PrivacyID   string
	DomainShare float64 // part of the budget that finds the domain; default: discover.DefaultShare of its columns
	AllColumns  bool    // refuse to leave out a column of the table

	parsed *parsedDomain // the domain file, as Finds has read it; nil: it has not
	found  *finding      // what was found of the domain, within the budget of the request; nil: nothing
	asked  string        // hash of what was declared of the domain, where the rest is found; empty: all of it

	to       place // of withDefaults
	planning bool  // nothing will be run: Input and Output may be empty
}

// MaxShards is the most files of a table.
const MaxShards = 10_000

func (c Config) withDefaults() Config {
	c.Format = orDefault(c.Format, defaultFormat)
	c.MaxCells = orDefault(c.MaxCells, query.DefaultCells)
	c.Method = orDefault(c.Method, "auto")
	c.MemoryLimit = orDefault(c.MemoryLimit, solver.DefaultMemoryLimit)
	c.Runner = orDefault(c.Runner, "prism")
	c.Engine = c.Engine.withDefaults(c.Runner)
	c.Store = orDefault(c.Engine.Cloud.Staging, c.Store)
	for _, name := range []*string{&c.Input, &c.People, &c.Output, &c.Release, &c.Store, &c.Ledger} {
		*name = c.Engine.name(*name)
	}
	c.to = c.place()
	c.Shards = c.to.Shards
	return c
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Request is a Config that has been found to be without fault, with what follows from it. Everything
// in it is public.
type Request struct {
	Config
	File      *schema.File
	source    table.Source // the table that Input names, as it was at launch
	people    table.Source // the table of People; nil: none
	Problem   solver.Problem
	Chosen    solver.Method
	omitted   int64
	aimed     *plan.Aimed     // the ε for an error that a plan was asked for
	question  *plan.Question  // what errors the plan states, where its ε was found; nil: errors of its own bins
	like      *solver.Pattern // what a plan takes the table to be like; nil: typical
	about     map[string]string
	ledger    *book.Book       // as it was when the request was checked; nil: none
	within    float64          // units by which noise shifts the check of criteria, with 95 % confidence
	forgotten []plan.Forgotten // columns whose value in the row before is left out
	narrowed  string           // why the workload is narrower than the default; empty if it is not
}

// Fault is one thing wrong with a request. It never holds anything read from private data.
type Fault struct {
	Where string // the flag, or file, line and column
	What  string // what was given, and what is allowed
	Fix   string // what to change; may be empty
	more  int    // of a fault that only counts others: how many
}

// String returns "where: what; fix".
func (f Fault) String() string {
	s := f.Where + ": " + f.What
	if f.Fix != "" {
		s += "; " + f.Fix
	}
	return s
}

// Faults are all things wrong with a request, in the order in which they were found.
type Faults []Fault

// Error lists the first faults, one a line, and says how many more there are.
func (f Faults) Error() string { return strings.Join(f.Lines(), "\n") }

// Lines returns the lines of Error.
func (f Faults) Lines() []string {
	var lines []string
	for _, one := range f[:min(len(f), errtext.Shown)] {
		lines = append(lines, one.String())
	}
	if len(f) > errtext.Shown {
		lines = append(lines, errtext.More(f[errtext.Shown:].Count()))
	}
	return lines
}

// Count returns how many faults there are, also those whose number alone is known.
func (f Faults) Count() (n int) {
	for _, one := range f {
		n += max(1, one.more)
	}
	return n
}

// Err returns f as an error, or nil if there is no fault.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// IsRequest reports whether err is a fault of the request, so that nothing was read or written.
func IsRequest(err error) bool {
	var f Faults
	return errors.As(err, &f)
}

func (f *Faults) add(where, what, fix string) {
	*f = append(*f, Fault{Where: where, What: what, Fix: fix})
}

// setFlag is a flag that a request may have been given.
type setFlag struct {
	name  string
	given bool
}

// refuse adds a fault for each flag that is given.
func (f *Faults) refuse(what, fix string, flags ...setFlag) {
	for _, one := range flags {
		if one.given {
			f.add("--"+one.name, what, fix)
		}
	}
}

// ErrRunner marks an error in which no message of dapple's packages was found: the runner itself, or the machine, has
// failed, and the runner's log has the details.
var ErrRunner = errtext.ErrRunner

// ErrorFaults returns an error as faults of one flag, one for each of the errors that it joins, without
// the names of packages; nil for nil.
func ErrorFaults(where string, err error) (faults Faults) {
	if own, ok := errors.AsType[Faults](err); ok { // they say where
		return own
	}
	for _, e := range errtext.Each(err) {
		fault := Fault{Where: where, What: errtext.Text(e)}
		if rest := errtext.Rest(0); errors.As(e, &rest) {
			fault.more = int(rest)
		}
		faults = append(faults, fault)
	}
	return faults
}

// asFault returns an error of a run that cannot begin as it was asked for as a fault of the request; others as they are.
func asFault(err error) error {
	if r, ok := errors.AsType[*run.Refusal](err); ok {
		return Faults{{Where: r.Where, What: errtext.Text(r.Err), Fix: r.Fix}}
	}
	return err
}

// fieldFault returns an error of a sink as a fault of the flag that its field has.
func fieldFault(err error) Fault {
	flags := map[string]string{"Output": "--output", "Write": "--write", "Release": "--release", "Stage": "--store"}
	f := Fault{Where: "--output", What: tableError(err)}
	if of, ok := errors.AsType[*table.FieldError](err); ok {
		f.Where, f.Fix = flags[of.Field], of.Fix
	}
	return f
}
