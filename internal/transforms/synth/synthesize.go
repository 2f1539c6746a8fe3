package synth

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/solver"
)

// Params configures Synthesize. Zero fields mean their defaults; Domain and Epsilon have none.
type Params struct {
	// Domain says what a record can be. Without Events one record of each person is used, which one being random, and one row
	// is made for each: 10,000 orders of 5,000 customers become some 5,000 rows. WithEvents keeps several. The statement has
	// both numbers as planned or released figures; the true ones are never counted.
	Domain  *domain.Domain
	Epsilon dp.Epsilon
	Delta   dp.Delta // 0 is pure differential privacy

	Neighbouring dp.Neighbouring
	Rows         int64          // rows to make; default: the released number of units
	Workload     query.Workload // marginals to keep; default: query.Default
	Units        float64        // public planning number of units; default solver.DefaultUnits
	Method       string         // a name of solver.Methods(), or with settings as dpfw.Method has it; default solver.Auto, the public rule
	Public       *solver.Public // a table that anybody may see: a prior of the model; see PublicTable; default: none
	MemoryLimit  int64          // bytes for the solve; default solver.DefaultMemoryLimit
	ErrorShare   float64        // part of the budget for measuring the error; default solver.DefaultErrorShare; below 0: none
	Shards       int            // parallel blocks of rows; default 8
	SampleSeed   uint64         // repeats the sampling, never the noise; default: from RunID, random without one
	As           reflect.Type   // struct type of the rows; default: the records' type

	// Prior was charged to Epsilon and Delta before, by the discovery of the domain: discover.Then returns it. nil: nothing.
	Prior *Prior

	// Budget is shared with other releases of the same people, whose losses count together. nil: this is the only one.
	Budget *Budget

	// Book is the budget book of the people, as the command keeps it: a directory that the workers see, or a place such as
	// "gs://bucket/people.book". The release is charged under RunID, which is required, before its noise is drawn; one that does not
	// fit is refused. With a Store, later attempts at it pay nothing. Empty: none.
	Book string

	// Store keeps the release. A runner that can start a job again, such as Flink or Spark, needs one
	// that all workers see; see the package comment. Records that learned bins and wide tables need wait there
	// too, encrypted, under names with PartsSuffix. Nobody can read them when the run has ended, and they may be removed.
	// Package tables has one in a directory. The zero StoreRef is none, which Runner may refuse.
	Store StoreRef

	// Runner is the runner of beam.Run, such as "prism", "flink" or "dataflow". It chooses how records are bounded and counted, and
	// in how many branches rows are made; see Steps. A runner that can start a job again, which is any but prism and direct,
	// is refused without a Store. Default: what Beam's flag --runner names, else prism.
	Runner string
	// NoStore says why a job on such a runner needs no Store, for those who read the program. Default: it needs one.
	NoStore string

	// RunID names the release in Store, and is required with one: the same for every attempt at one release, another for
	// the next. A name such as "orders-2026-11-24" fits. It is public.
	//
	//   - A job that the runner starts again adopts the release, and so does a program that is started again with the same
	//     RunID and parameters. Neither draws or spends again. No record is compared: the same RunID is your word that it is
	//     the same release.
	//   - One pipeline is launched once with a RunID. If beam.Run is given the same pipeline again, the job fails, and
	//     releases nothing. A service that releases every day builds its pipeline every day, with a RunID of that day.
	RunID string
}

func (p Params) withDefaults() Params {
	if p.SampleSeed == 0 && p.RunID != "" {
		p.SampleSeed = seedOf(p.RunID)
	}
	for p.SampleSeed == 0 {
		p.SampleSeed = rand.Uint64() // privacy does not depend on it
	}
	if p.Workload.Sizes == nil && p.Domain != nil {
		p.Workload = query.WithOrder(p.Domain, query.Default(p.Domain.Sizes()))
	} else if p.Domain != nil && slices.Equal(p.Workload.Sizes, p.Domain.Sizes()) {
		p.Workload = query.WithRows(p.Domain, p.Workload, query.DefaultCells)
	}
	return p
}

// domainFault is why no release can be made for the domain; nil: one can.
func (p Params) domainFault() error {
	if p.Domain == nil {
		return errors.New("synth: Params.Domain is required")
	}
	if err := p.Domain.Validate(); err != nil {
		return err
	}
	if large := query.Uncovered(p.Domain, query.DefaultCells); p.Workload.Sizes == nil && large != "" {
		return fmt.Errorf("synth: Params.Domain: %s; the default workload has marginals of at most %d, so nothing would be known "+
			"of such a column; give it fewer values or bins, or set Params.Workload", large, query.DefaultCells)
	}
	return nil
}

// Validate lists all faults of p, of the method's fit to the domain, and of the fields of row, a struct type or a pointer
// to one that is to hold the records, or to *domain.Chunk. If it finds none, Synthesize refuses nothing but records in windows or without an
// end, records that another call releases from, and a RunID that another release of the pipeline has.
func (p Params) Validate(row reflect.Type) error {
	if err := p.domainFault(); err != nil {
		return err
	}
	if p.Domain.Events != nil && p.Domain.Events.NoRows {
		return errors.New("synth: Params.Domain: people without rows exist, and come from a table of their own; call SynthesizePeople, which Go alone has")
	}
	return p.validate(row, inputFault(row, p.Domain), outputFault(p.sample(row).As, p.Domain.Written()))
}

// inputFault is private.ValidateStruct for what may be chunks.
func inputFault(row reflect.Type, d *domain.Domain) error {
	if row == chunkType {
		return nil
	}
	return private.ValidateStruct(row, d)
}

// outputFault is validateColumns for what may be chunks, which nil stands for.
func outputFault(as reflect.Type, columns *domain.Domain) error {
	if as == nil {
		return nil
	}
	return validateColumns(as, columns)
}

// validate lists the faults of p for a domain that has none, with the faults of structs.
func (p Params) validate(row reflect.Type, structs ...error) error {
	p = p.withDefaults()
	errs := append([]error{p.solve().Validate(), p.sample(row).Validate(), templateFault(p.Store)}, structs...)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fn := solveFn{
		Params: p.solve().withDefaults(), Public: query.Frame{Domain: *p.Domain, Workload: p.Workload},
		Shape: counts.ShapeOf(p.Domain, p.Workload, p.counts()),
	}
	return fn.fault()
}

func (p Params) solve() SolveParams {
	return SolveParams{
		Epsilon: p.Epsilon, Delta: p.Delta, Neighbouring: p.Neighbouring, Method: p.Method,
		Units: p.Units, MemoryLimit: p.MemoryLimit, SolverSeed: p.SampleSeed, ErrorShare: p.ErrorShare, Public: p.Public, Prior: p.Prior, Budget: p.Budget,
		Store: p.Store, Book: p.Book, RunID: p.RunID, Runner: p.Runner, NoStore: p.NoStore,
	}
}

func (p Params) sample(row reflect.Type) SampleParams {
	if p.As != nil {
		row = p.As
	}
	if row == chunkType {
		row = nil
	}
	branches := runnerOf(p.Runner).Branches()
	if row != nil {
		branches = 1 // prism would encode and decode every struct once more where branches meet, which takes longer than to make it
	}
	return SampleParams{Rows: p.Rows, Shards: p.Shards, Branches: branches, Seed: p.SampleSeed, As: row}
}

// chunkType is what readers of tables return.
var chunkType = reflect.TypeFor[*domain.Chunk]()

// Steps are the parameters of the five steps that Synthesize makes.
type Steps struct {
	Bound    private.BoundParams
	Workload query.Workload
	Count    counts.Params
	Solve    SolveParams
	Sample   SampleParams
}

// Steps returns what Synthesize chooses for records of a type: by the domain the workload, by the runner and the store how
// records are bounded and counted and in how many branches rows are made, and a seed of the sampling. A pipeline that calls
// the steps one by one with them has the same stage:
//
//	st := p.Steps(reflect.TypeFor[Order]())
//	units := private.Bound(s, private.Encode(s, orders, p.Domain, private.EncodeParams{}), st.Bound)
//	release := synth.Solve(s, counts.Count(s, units, st.Workload, st.Count), st.Solve)
//	rows := synth.Sample(s, release, st.Sample)
func (p Params) Steps(row reflect.Type) Steps {
	p = p.withDefaults()
	return Steps{Bound: private.BoundParams{MaxBundle: runnerOf(p.Runner).MaxBundle()}, Workload: p.Workload, Count: p.counts(), Solve: p.solve(), Sample: p.sample(row)}
}

// Synthesize adds the whole stage to a pipeline that exists already: of each person one record is used, and one made, unless
// the domain has Events. It turns a collection of private structs into one of synthetic structs of the same type, or of type
// p.As, at the price of p.Epsilon and p.Delta.
//
// Fields belong to columns by a `dapple:"name"` tag, else by `beam:"name"`, else by the name in a `bigquery` or `parquet` tag,
// else by name. In what comes out, the field of the privacy ID is empty, or with Events the number of a person, and fields
// that are no column are empty. Records may also be the *domain.Chunk of a reader of package table, read with
// p.Domain.Recorded(); rows are then chunks too, unless p.As is set.
//
// It is Encode, Bound, Count, Solve and Sample with the parameters that p.Steps returns. It panics, with all faults
// at once, if p.Validate returns an error, and on records in windows or without an end, which make no one
// table.
//
// The release says what was promised, spent and found out: Release.Artifacts has statement, ledger, error and
// model. More rows of it, by Sample, cost nothing. It panics on a second call with the
// same records, as Solve does, unless both have one Budget.
func Synthesize(s beam.Scope, records beam.PCollection, p Params) (rows beam.PCollection, release Release) {
	row := records.Type().Type()
	if err := errors.Join(p.Validate(row), private.ValidateCollection(records)); err != nil {
		panic(fmt.Sprintf("synth: Synthesize:\n%v", err))
	}
	st := p.Steps(row)
	units := private.Bound(s, private.Encode(s, records, p.Domain, private.EncodeParams{}), st.Bound)
	release = Solve(s, counts.Count(s, units, st.Workload, st.Count), st.Solve)
	return Sample(s, release, st.Sample), release
}
