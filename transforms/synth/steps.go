package synth

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Steps are the parameters of the five steps that Synthesize makes.
//
//	type Steps struct {
//		Bound    BoundParams
//		Workload query.Workload
//		Count    CountParams
//		Solve    SolveParams
//		Sample   SampleParams
//	}
type Steps = synth.Steps

// Encode turns records into codes of d, of a domain with Events into the codes of the records alone. The elements of col are *domain.Chunk, structs or pointers to
// structs; fields belong to columns by a `dapple:"name"` tag, else by `beam:"name"`, else by name.
//
// A field may be a pointer to a value, or a struct of a value and Valid, such as sql.Null[int64] or bigquery.NullString: nil and
// what is not Valid are NULL.
//
// The privacy ID is a field of text or whole numbers, or a pointer to one; distinct values are distinct units. A
// record whose privacy ID is an empty text or nil belongs to no unit, and Bound drops it. A field of numbers that is
// not a pointer always has an ID: 0 is a person, and all records whose field was never set belong to that person. Use
// a pointer if IDs can be missing.
//
// It panics if d is invalid and if ValidateStruct fails, and if people without rows exist: EncodePeople is for those.
func Encode(s beam.Scope, col beam.PCollection, d *domain.Domain, p EncodeParams) Coded {
	return private.Encode(s, col, d, p)
}

// EncodePeople is Encode for a domain in which people without rows exist. They come from a table of their own: people
// has the privacy ID and the columns of a person, rows the privacy ID and the other columns. A person who is there twice
// has the columns of one of the two records. It panics as Encode does, and if every person has a row.
func EncodePeople(s beam.Scope, people, rows beam.PCollection, d *domain.Domain, p EncodeParams) Coded {
	return private.EncodePeople(s, people, rows, d, p)
}

// EncodeParams configures Encode. Its field Unreadable says what becomes of a cell that has no value of its type; by default
// what the domain declares.
type EncodeParams = private.EncodeParams

// Coded is a collection of coded records, with their privacy IDs if the domain has one. Only Encode
// makes one.
type Coded = private.Coded

// Bound keeps one record of each privacy unit: the one of least rank under a hash with the run key among all coded
// records of the unit, so that over random run keys each is equally likely. Records without an ID are dropped. If the
// domain has no privacy ID every record is a unit, and Bound does nothing.
//
// In a domain with Events all records of a unit are kept. Each says also how many the unit has, and what is usual among
// them, and ends with a weight in steps of 2^-Domain.WeightBits. The weights of a unit add up to 1 exactly. If people
// without rows exist, the units are the people of the table of people: records of other IDs belong to nobody and are dropped.
//
// It panics on invalid parameters.
func Bound(s beam.Scope, in Coded, p BoundParams) Units {
	return private.Bound(s, in, p)
}

// BoundParams configures Bound. Zero fields mean their defaults.
//
//	type BoundParams struct {
//		// Shards is the number of hash shards of the privacy ID; default 256; 1..65536. A worker holds the records of a few
//		// shards at a time.
//		Shards int
//		// MaxEntries is the number of records that a worker holds. At that number it merges equal rows of a unit, and
//		// passes rows on early if merging saves little; default 1<<20; at least 1. The result does not depend on it.
//		MaxEntries int
//		// MaxBundle is the number of bytes that a bundle passes on to the runner; default 2 GiB less 16 MiB. Above it the
//		// run fails, before anything is drawn: prism sends the input of a step in one message, and a job whose message exceeds
//		// 2 GiB hangs. Negative: no limit, for runners without such messages. A record of people who have few takes its width,
//		// the length of the ID and two or three bytes. The limit is not for what a Spill keeps.
//		MaxBundle int64
//		// Spill keeps the records of persons who are not complete in a file, in place of the runner. It is for pipelines
//		// whose workers are all in this process, and best for these: prism copies what it keeps several times in memory.
//		// Default: the runner keeps them.
//		Spill *Spill
//		// RunKey is public and decides which record of a unit is kept. Any value will do, and the same value keeps the
//		// same records. It must not be the seed of the noise.
//		RunKey [contribution.RunKeySize]byte
//	}
type BoundParams = private.BoundParams

// Units is a collection with exactly one coded record for each privacy unit, or with several whose weights add up to that
// of one. Only Bound makes one.
type Units = private.Units

// Count counts units in every marginal of w and every clique of p. Each unit adds exactly one to one cell of each, or,
// in a domain with Events, weights that add up to one to some cells of it. It panics on invalid parameters and if w is a workload of another domain.
func Count(s beam.Scope, in Units, w query.Workload, p CountParams) Stats {
	return counts.Count(s, in, w, p)
}

// CountParams configures Count. Zero fields mean their defaults.
//
//	type CountParams struct {
//		// MaxCells is the largest number of cells of all tables together, at 8 bytes each and for each
//		// worker; default 1<<23; 1..1<<28. Beyond it, records are kept in place of tables.
//		MaxCells int64
//		// Cliques are counted in addition to the workload's.
//		Cliques []domain.Clique
//		// MaxPart is for runners on clusters, whose elements must be small: if records are kept, they travel in elements of at
//		// most so many bytes and one unit more, which Solve puts together. Default: in one element of at most 2 GiB, which ends
//		// the run in words where prism would hang.
//		MaxPart int
//		// Divide is for such runners too: tables travel in pieces of at most 150 kB, which are added up in two levels, so that no
//		// worker holds the tables of all bundles, and which Solve puts together. Default: one table of each bundle, added up at once.
//		Divide bool
//	}
type CountParams = counts.Params

// Stats is a collection of the counts of all units: one *Table, or none if there are no units, or parts or
// pieces of one. Only Count makes one.
type Stats = counts.Stats

// Solve releases a model of the counted units, at the price of p.Epsilon and p.Delta: the one privacy
// budget of the run. It always yields one release, also of no units at all.
//
// It panics on invalid parameters, if the method does not apply to the domain and the workload, and if p.Budget has no
// room. It panics on a second Solve of the same people without a common Budget: the losses of two releases add, and each
// would state its own. The same people are in one PCollection that Encode was given, once or again, and in two of
// which one was made of the other or both of a third, through any steps, if the third has the privacy ID: structs with a
// field of that name, alone or in pairs and groups, or chunks. Steps that take the ID off in between, a table that is read
// twice, and a domain without privacy ID hide that: give both one Budget.
func Solve(s beam.Scope, stats Stats, p SolveParams) Release {
	return synth.Solve(s, stats, p)
}

// SolveParams configures Solve. Zero fields mean their defaults; Epsilon and Delta have none.
//
//	type SolveParams struct {
//		Epsilon      dp.Epsilon
//		Delta        dp.Delta // 0 is pure differential privacy
//		Neighbouring dp.Neighbouring
//		Method       string  // a name of solver.Methods(); default solver.Auto, the public rule
//		Units        float64 // public planning number of units; default solver.DefaultUnits; never the true one
//		MemoryLimit  int64   // bytes for the solve; default solver.DefaultMemoryLimit
//		Rounds       int     // default: the method's public rule
//		SolverSeed   uint64  // of randomness that privacy does not depend on
//		// Criteria are checked on the model, from their share of the budget, and released as met or not. Their marginals have
//		// to be parts of marginals of the workload.
//		Criteria solver.Criteria `json:",omitzero"`
//		// ErrorShare is the part of the budget with which the error of the model is measured; default solver.DefaultErrorShare, at
//		// most .5, in steps of .0001; below 0: it is not measured. Methods whose noise is fixed beforehand measure none.
//		ErrorShare float64
//		// Public is a table that anybody may see: a prior of the model, for methods that use one. Its records travel with the
//		// job. nil: none.
//		Public *solver.Public `json:",omitempty"`
//		// Prior was charged to Epsilon and Delta before, by the discovery of the domain; the release has the rest. nil: nothing.
//		Prior *Prior `json:",omitempty"`
//		// Budget is shared with other releases of the same people, whose losses count together. nil: this is the only one.
//		Budget *Budget `json:",omitempty"`
//		// Store keeps the release. Without one it travels in the pipeline, at most 100 MB of it, and a runner that starts the
//		// job again can release twice.
//		Store StoreRef
//		// Parts keeps, encrypted, what CountParams.MaxPart divides, until it is counted: another store, or a spill. It needs a Store. Default: Store.
//		Parts StoreRef
//		// RunID names the release in the store, and is required with one: see Params.RunID. Public.
//		RunID string
//		// Book is a budget book: see Params.Book.
//		Book string `json:",omitempty"`
//		// Runner and NoStore: see Params.
//		Runner, NoStore string
//	}
type SolveParams = synth.SolveParams

// Sample returns rows of the released model: structs of type p.As, whose fields belong to columns as in
// Encode, or else chunks. It costs no privacy. The rows are the same for any number of shards. If the domain has
// events they are rows of people, each with the number of its person under the name of the privacy ID.
//
// Chunks name the release that they were sampled from in their Source, as sourcePrefix and the hash of the model. A
// program that writes rows without tables.Write should refuse chunks of two releases: if Params.Store is not set, a runner
// that restarts a job can draw a second model, and their losses add up.
//
// It panics on invalid parameters, and if a column cannot be written to p.As: a column that can be NULL needs a
// pointer.
func Sample(s beam.Scope, r Release, p SampleParams) beam.PCollection {
	return synth.Sample(s, r, p)
}

// SamplePeople is Sample for a domain with events, as two tables: of people, in structs of a type, or chunks if it is nil,
// and of their rows, in structs of type p.As, or chunks. Both have the number of the person.
func SamplePeople(s beam.Scope, r Release, peopleAs reflect.Type, p SampleParams) (people, rows beam.PCollection) {
	return synth.SamplePeople(s, r, peopleAs, p)
}

// SampleParams configures Sample and SamplePeople. Zero fields mean their defaults.
//
//	type SampleParams struct {
//		Rows     int64    // how many, with events how many people; default: the released number of units
//		Shards   int      // blocks of rows that workers make independently; default 8; 1..10000. The rows do not depend on it
//		Branches int      // parallel branches of the graph; default 1; PrismBranches for chunks on prism
//		Seed     uint64   // repeats the sampling; the rows are a function of the model and this; 0 is a seed like any other
//		Rounding Rounding // default Refined
//		// Where selects rows as SQL does: comparisons of columns with values, IN, BETWEEN, IS NULL, joined by AND, OR, NOT and
//		// parentheses, such as "age >= 65 AND (sex = Female OR city IN (Rome, 'New York'))". Rows is then how many of them are
//		// made; by default the share of the released number that meets it. With events people are selected, by their own columns.
//		// Default: all rows.
//		Where string
//		// As is the struct type of the rows, or a pointer to one; default *domain.Chunk.
//		As reflect.Type
//	}
type SampleParams = synth.SampleParams
