// Package tables connects the stage to the places where tables are: it keeps releases, writes rows with their statement, and
// reads and writes structs of the steps before and after.
//
//	orders := tables.ReadStructs(s, source, reflect.TypeFor[Order](), schema.CSV{})
//	_, release := synth.Synthesize(s, orders, synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9,
//		Store: tables.Store("gs://b/releases"), RunID: "orders-2026-11-24"})
//	tables.Write(s, tables.Sample{Release: release}, table.Target{Output: "gs://b/orders"})
//
// Formats and places are those that the program imports: see package table. The package itself brings Parquet, in which
// marginals are published.
package tables

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/transforms/tables"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Store returns the store of releases in a directory of this machine, which all workers have to see under this name, or of a
// registered place, such as "gs://bucket/path". The directory is made if need be.
//
// A value of it is there as a whole or not at all, also after a crash, and nothing removes or changes one: a second start
// with the same RunID finds the release of the first. Its content is private until it is published.
func Store(dir string) synth.StoreRef {
	return tables.Store(dir)
}

// ReadStructs returns the records of a table as structs of type t, or pointers to them, for the steps before a stage. Fields
// belong to columns as in synth.Synthesize; columns that no field is for are not read. form is the form of CSV; the zero CSV is a
// file with a header line.
//
// NULL, and a cell of text that its field cannot hold, is nil in a pointer and the zero value elsewhere: nothing fails or is
// reported, since that would depend on a record. Use a pointer where the difference counts.
//
// It reads header lines, footers or metadata while the pipeline is built, and no record. It panics if t does not match the
// table, with all faults at once.
func ReadStructs(s beam.Scope, from table.Source, t reflect.Type, form schema.CSV) beam.PCollection {
	return tables.ReadStructs(s, from, t, form)
}

// Write writes rows to a directory of files, or to a table of a place such as bq://project.dataset.table. from says which:
// a Sample of a release, or Structs of other steps. It returns a PCollection of synth.Published, one for each directory or table.
//
// A manifest comes last: a reader that waits for it sees everything or nothing. It is in to.Release, by default the directory of
// the rows with ".release" behind its name. Format is parquet by default.
//
// Write looks at the target while the pipeline is built, before anything is spent. It panics if the target is not free or
// cannot be written, with all faults at once.
func Write(s beam.Scope, from Rows, to table.Target) beam.PCollection {
	return tables.Write(s, from, to)
}

// Rows are what Write writes: a Sample or Structs.
type Rows = tables.Rows

// Sample is rows that are drawn from a release. Statement, model, marginals and report go beside them, unless the release was
// saved, and so stated already. Zero fields mean what they mean in synth.SampleParams.
//
// A table needs a target's Release, and its Stage for rows that are yet to be loaded. Zero fields of the target: RunID is the
// release's, Shards one, and up to 8 for large tables. Domain and People follow from the release.
//
//	type Sample struct {
//		Release  synth.Release // required
//		Rows     int64         // how many, with events how many people
//		Branches int
//		Seed     uint64
//		Rounding synth.Rounding
//		Where    string
//		Tables   bool // people and their rows as two tables, for a domain with events
//	}
type Sample = tables.Sample

// Structs are rows of other steps: structs, or pointers to them. Every exported field is a column, but for those tagged
// dapple:"-", by the name in its first tag, else by its own; a pointer can be NULL. The privacy ID is no column of rows that come
// from the stage without another step between, if the stage leaves it empty. Nothing else is published beside the rows: see
// WriteStatement.
//
// The target's RunID is required, as for synth.Params. Shards are 8 by default.
//
//	type Structs struct {
//		Rows beam.PCollection // required
//		// PartitionBy names the column whose values are directories, such as country=FR, below the output; its values are in their
//		// names alone, as Hive has it. Each directory is published by itself, with one file, and its manifest goes to
//		// the release directory, below the same name. Default: there is one directory.
//		PartitionBy string
//	}
type Structs = tables.Structs

// WriteStatement writes statement, model, marginals and report of a release to a directory, for those whose rows go elsewhere.
// A manifest comes last. rows is how many rows were made of the release; 0: the released number. It returns a PCollection of
// one synth.Published. It panics as Write does, and on a release that was saved: that has been stated already.
func WriteStatement(s beam.Scope, r synth.Release, dir string, rows int64) beam.PCollection {
	return tables.WriteStatement(s, r, dir, rows)
}
