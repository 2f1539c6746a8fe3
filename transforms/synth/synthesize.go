package synth

import (
	"iter"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver"
)

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
	return synth.Synthesize(s, records, p)
}

// Params configures Synthesize. Zero fields mean their defaults; Domain and Epsilon have none.
//
//	type Params struct {
//		// Domain says what a record can be. Without Events one record of each person is used, which one being random, and one row
//		// is made for each: 10,000 orders of 5,000 customers become some 5,000 rows. WithEvents keeps several. The statement has
//		// both numbers as planned or released figures; the true ones are never counted.
//		Domain  *domain.Domain
//		Epsilon dp.Epsilon
//		Delta   dp.Delta // 0 is pure differential privacy
//
//		Neighbouring dp.Neighbouring
//		Rows         int64          // rows to make; default: the released number of units
//		Workload     query.Workload // marginals to keep; default: query.Default
//		Units        float64        // public planning number of units; default solver.DefaultUnits
//		Method       string         // a name of solver.Methods(), or with settings as dpfw.Method has it; default solver.Auto, the public rule
//		Public       *solver.Public // a table that anybody may see: a prior of the model; see PublicTable; default: none
//		MemoryLimit  int64          // bytes for the solve; default solver.DefaultMemoryLimit
//		ErrorShare   float64        // part of the budget for measuring the error; default solver.DefaultErrorShare; below 0: none
//		Shards       int            // parallel blocks of rows; default 8
//		SampleSeed   uint64         // repeats the sampling, never the noise; default: from RunID, random without one
//		As           reflect.Type   // struct type of the rows; default: the records' type
//
//		// Prior was charged to Epsilon and Delta before, by the discovery of the domain: discover.Then returns it. nil: nothing.
//		Prior *Prior
//
//		// Budget is shared with other releases of the same people, whose losses count together. nil: this is the only one.
//		Budget *Budget
//
//		// Book is the budget book of the people, as the command keeps it: a directory that the workers see, or a place such as
//		// "gs://bucket/people.book". The release is charged under RunID, which is required, before its noise is drawn; one that does not
//		// fit is refused. With a Store, later attempts at it pay nothing. Empty: none.
//		Book string
//
//		// Store keeps the release. A runner that can start a job again, such as Flink or Spark, needs one
//		// that all workers see; see the package comment. Records that learned bins and wide tables need wait there
//		// too, encrypted, under names with PartsSuffix. Nobody can read them when the run has ended, and they may be removed.
//		// Package tables has one in a directory. The zero StoreRef is none, which Runner may refuse.
//		Store StoreRef
//
//		// Runner is the runner of beam.Run, such as "prism", "flink" or "dataflow". It chooses how records are bounded and counted, and
//		// in how many branches rows are made; see Steps. A runner that can start a job again, which is any but prism and direct,
//		// is refused without a Store. Default: what Beam's flag --runner names, else prism.
//		Runner string
//		// NoStore says why a job on such a runner needs no Store, for those who read the program. Default: it needs one.
//		NoStore string
//
//		// RunID names the release in Store, and is required with one: the same for every attempt at one release, another for
//		// the next. A name such as "orders-2026-11-24" fits. It is public.
//		//
//		//   - A job that the runner starts again adopts the release, and so does a program that is started again with the same
//		//     RunID and parameters. Neither draws or spends again. No record is compared: the same RunID is your word that it is
//		//     the same release.
//		//   - One pipeline is launched once with a RunID. If beam.Run is given the same pipeline again, the job fails, and
//		//     releases nothing. A service that releases every day builds its pipeline every day, with a RunID of that day.
//		RunID string
//	}
type Params = synth.Params

// SynthesizePeople is Synthesize for two collections of private structs: people, with the privacy ID and the columns of a
// person, and rows, with the privacy ID and the other columns. Some people have no rows, and rows of people who are not
// there are not used. Both come out as synthetic structs, in whose fields of the privacy ID is the number of the person, as a
// whole number or as text.
func SynthesizePeople(s beam.Scope, people, rows beam.PCollection, p PeopleParams) (madePeople, madeRows beam.PCollection, release Release) {
	return synth.SynthesizePeople(s, people, rows, p)
}

// PeopleParams configures SynthesizePeople.
//
//	type PeopleParams struct {
//		Params                // Rows is the number of people, As the type of their rows
//		PeopleAs reflect.Type // struct type of the people; default: the type of the records of people
//	}
type PeopleParams = synth.PeopleParams

// Release is a released model in a pipeline. It is public. Solve, Synthesize and Saved make one; the zero Release is of no use.
type Release = synth.Release

// Artifact is everything that one run released. All of it is public once it is published.
//
//	type Artifact struct {
//		RunID     string // names the release; see Params.RunID
//		Config    string // SHA-256 of the configuration that it was made with, in hex
//		Method    string
//		Result    *solver.Result
//		Statement Statement
//		Model     []byte     // Result.Model with its domain: the bytes of _model.arrow
//		Book      *BookEntry // that has paid for it; nil: see Params.Book
//		Adopted   bool       // an earlier attempt has drawn it, and this run spent nothing; Encode leaves it out
//	}
type Artifact = synth.Artifact

// DecodeArtifact reads what Encode wrote, and checks the model.
func DecodeArtifact(b []byte) (*Artifact, error) {
	return synth.DecodeArtifact(b)
}

// Answer is the answer of a release to a linear query, in counts: its Value and StandardError, and Low and High, the ends of
// its 95 % interval. Least and Most bound what the answer can be of as many units, and Source says in a word what the error
// rests on, such as measured.
type Answer = synth.Answer

// Statement is the promise of a release: Epsilon and Delta as requested, AchievedEpsilon at Delta, Neighbouring, Accounting
// and Schedule, the Conversion that AchievedEpsilon follows from, the Capacity of the ledger with RhoTotal, EpsilonTotal or Mu, each
// charge in Ledger, charged Approximations, and the promise Together with other releases of one budget. Its method
// Guarantee says it in one line.
type Statement = synth.Statement

// Charge is an entry of Statement.Ledger: Count equal draws of one Stage from Round on, of a Kind of mechanism; each has
// so many Marginals and Coordinates, a Sensitivity, a Scale of its noise and a Grid. Values above a Threshold have
// a First cut and cost Delta. Rho or Epsilon is the loss of the whole entry.
type Charge = synth.Charge

// Prior is what a release before has charged to the budget, as discover finds it for SolveParams: an ID of its noise, the
// Params of the ledger, the Share of the budget, the Coordinates that it may draw and its Events.
type Prior = synth.Prior

// Budget is what several releases may lose together: the total (ε, δ) of a pipeline that releases the same people more
// than once. Give one *Budget to all of them, with an ε and a δ of each:
//
//	total := &synth.Budget{Epsilon: 1, Delta: 1e-9}
//	rows, _ := synth.Synthesize(s, people, synth.Params{Domain: narrow, Epsilon: .69, Delta: 1e-9, Budget: total})
//	wide, _ := synth.Synthesize(s, people, synth.Params{Domain: all, Epsilon: .69, Delta: 1e-9, Budget: total})
//
// Each release is charged at construction, at the capacity of its own ledger, and every statement names the total.
// Capacities add up as rho or μ² do (see accountant.Book), so that two halves have more than half of ε each. A release
// that does not fit is refused, and so is one for another neighbouring relation or privacy ID than the first.
//
// Everything is fixed before data are read. So the kind of accounting may be the better of GDP and zCDP.
//
//	type Budget struct {
//		Epsilon dp.Epsilon
//		Delta   dp.Delta
//
//		privacyID string
//		books     []*accountant.Book // those that admitted all releases so far; none before the first
//	}
type Budget = synth.Budget

// BookEntry is the entry of a budget book that has paid for a release.
//
//	type BookEntry struct {
//		DataSet string  // as the owner of the book calls it
//		Epsilon float64 // of all releases that are entered there, together
//		Delta   float64
//		Entry   int
//		SHA256  string // of the entry, in hex
//	}
type BookEntry = synth.BookEntry

// StoreRef names a registered kind of Store and configures it: plain data that a DoFn can carry. The
// zero StoreRef is no store.
//
//	type StoreRef struct{ Kind, Config string }
type StoreRef = synth.StoreRef

// PublicTable returns the table of a slice of structs that anybody may see, for Params.Public and SolveParams.Public.
// Fields belong to columns as in Encode; a privacy ID is not read, and every struct counts. It fails if rows
// is no slice of such structs or is empty, if a value is outside the domain, and if the domain has events or bins to be learned, for which no method
// uses a public table.
func PublicTable(rows any, d *domain.Domain) (*solver.Public, error) {
	return synth.PublicTable(rows, d)
}

// Saved returns a release that was made before, to sample from again. model is the content of its _model.arrow, or what
// Artifact.Encode returned. The domain is the model's, with the bins that it learned; want is the domain that the
// caller expects, or nil. The error says how they differ, or why model is none. It costs no privacy.
func Saved(s beam.Scope, model []byte, want *domain.Domain) (Release, error) {
	return synth.Saved(s, model, want)
}

// Draws returns n models of what the table may be, given a release: draws from an approximate posterior, at no privacy cost. model
// and errors are the content of its _model.arrow and _errors.json; each draw is the content of a model file, for Saved. Equal
// seeds give equal draws, whatever n. It stops at the first error.
//
// Compute an estimate from the rows of each, and put them together by Combine.
func Draws(model, errors []byte, seed uint64, n int) iter.Seq2[[]byte, error] {
	return synth.Draws(model, errors, seed, n)
}

// Combine puts together what was estimated from each of several draws, such as a coefficient of a regression. Without variances
// the result is about the people in the private table. With the variances that the estimator itself states, one for each draw, it
// is about the population that they are a random sample of.
//
// The estimate is the mean. With B the variance between draws and W the mean of variances, its variance is (1 + 1/m)·B + W, and
// the interval is Student's t with (m − 1)·(1 + W/((1 + 1/m)·B))² degrees of freedom (Rubin, 1987).
func Combine(estimates, variances []float64) (Combined, error) {
	return synth.Combine(estimates, variances)
}

// Combined is an estimate with its error.
//
//	type Combined struct {
//		Estimate, StandardError float64
//		Low, High               float64 // ends of the 95 % interval
//	}
type Combined = synth.Combined
