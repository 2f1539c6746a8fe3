// Package table finds tables by name and reads them, in any format and place that a program imports.
//
//	import (
//		_ "github.com/dapple-dp/dapple/io/csvio"      // files of CSV
//		_ "github.com/dapple-dp/dapple/io/parquetio"  // files of Parquet
//		_ "github.com/dapple-dp/dapple/io/bigqueryio" // bq://project.dataset.table
//		_ "github.com/dapple-dp/dapple/io/gs"         // gs://bucket/path
//	)
//
//	t, err := table.Find(ctx, "gs://b/people-*.parquet", nil)
//	err = t.Check(ctx, dom, schema.CSV{})          // at launch: columns and types, no record
//	rows := t.Read(s, dom, schema.CSV{})           // in a pipeline
//	err = t.Each(ctx, dom, schema.CSV{}, yield)    // or in this process
//
// A new format is a package that calls RegisterFormat, a new service that holds tables is one that calls
// RegisterPlace, and a new store of files one that calls RegisterStore.
package table

import (
	"context"

	"github.com/dapple-dp/dapple/internal/io/table"
)

// Find finds the table that input names, and does not open it: a table of a registered place; a file or a pattern; or
// a directory written by a finished run, in which it trusts only the manifest. The extensions of files give their
// format.
func Find(ctx context.Context, input string, o Options) (Source, error) {
	return table.Find(ctx, input, o)
}

// Source is a table that has been found and not yet read: files of one format, or a table of a place.
//
//	type Source interface {
//		// Check compares the columns with the columns of d and reads no record. The errors of all columns are joined.
//		Check(ctx context.Context, d *domain.Domain, form schema.CSV) error
//		// ByMetadata reports whether Check reads only metadata, so that a plan may call it too.
//		ByMetadata() bool
//		// Form returns the part of the form declared by a domain file that applies to this table: all of it for text,
//		// else nothing.
//		Form(declared schema.CSV) schema.CSV
//		// Columns returns the names of the columns in order, from the header line in the declared form, a footer or metadata:
//		// records do not change them. It returns nil for what can be read only once.
//		Columns(ctx context.Context, form schema.CSV) ([]string, error)
//		// Describe returns the columns in order from header lines, footers or metadata, and the form in which to read them: what
//		// is declared of it, and of the rest what the header line tells.
//		Describe(ctx context.Context, declared schema.CSV) ([]Column, schema.CSV, error)
//		// Read returns the records in a pipeline, as *domain.Chunk. Call Check before.
//		Read(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection
//		// Each passes all records to yield, chunk by chunk. Call Check before. A chunk is valid until the next one. An
//		// error of yield ends the reading and is returned unchanged.
//		Each(ctx context.Context, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
//		// Identity names the table and its state: two tables of equal identity hold the same records. known is false if
//		// states cannot be distinguished. Call Check before.
//		Identity() (id string, known bool)
//		// Bytes is the number of bytes to read; 0: not known.
//		Bytes() int64
//		// Note is what people should know before the table is read; empty: nothing.
//		Note() string
//	}
type Source = table.Source

// Options are the settings of places, by scheme, as JSON. The zero value is right for most.
type Options = table.Options

// Target is the destination of the rows of one run. It is plain data, from which every worker opens the same sink.
//
//	type Target struct {
//		Output    string            // a directory, or a table of a place; of two tables see TwoNames
//		Format    string            // of the files in a directory
//		Null      string            // how text spells NULL
//		Write     string            // what becomes of a table's rows, in words of its place; empty: its default
//		Labels    map[string]string // of a table
//		Release   string            // directory of released files; empty: next to a directory, none for a table
//		Overwrite bool              // replace what an earlier run left in directories
//		Shards    int               // files of each table; 0: as many as Create says
//		Note      string            // for the manifest of a directory: what readers should know of the rows
//		Stage     string            // directory where rows wait that are yet to be loaded into a table
//		Services  Options
//		RunID     string
//		Domain    *domain.Domain // its attributes are the columns
//		People    *domain.Domain // columns of a table of people beside the table of rows; nil: there is one table
//	}
type Target = table.Target

// RegisterFormat registers a format. Packages call it from an init function. It panics if its name or an extension is
// taken.
func RegisterFormat(f Format) {
	table.RegisterFormat(f)
}

// Format is a file format: how tables are read from files and written to them. Name, Extensions, and Each or EachPart
// are required; a format without NewWriter is read-only.
//
//	type Format struct {
//		Name       string   // for messages, as --format has it, and the extension of files that are written
//		Extensions []string // of files that are read, such as ".csv"; "" stands for all that no other format has
//		Text       bool     // cells are text: the form that a domain file declares for CSV applies
//		Unnamed    bool     // the names of columns are in the records alone, which Describe then reads: what it says is NOT public
//
//		// Check compares the columns of files with the columns of d and reads no record. It joins the errors of all columns.
//		Check func(ctx context.Context, list []FileInfo, d *domain.Domain, form schema.CSV) error
//		// Advise says what may be wrong with the form that is declared for a file, after a look at its first records; the
//		// advice is NOT private. Default: no advice.
//		Advise func(ctx context.Context, f FileInfo, form schema.CSV) (advice string, err error)
//		// Each passes the records of one file to yield, chunk by chunk; yield may keep a chunk only if Read is nil. Default:
//		// the one part of EachPart.
//		Each func(ctx context.Context, f FileInfo, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
//		// Parts returns into how many parts a file can be cut that are read by themselves, and EachPart is Each for one of them,
//		// 0..of−1. What a file is cut by is public: its size, or a table of contents. Default: a file is one part.
//		Parts    func(ctx context.Context, f FileInfo) (parts int, err error)
//		EachPart func(ctx context.Context, f FileInfo, part, of int, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
//		// Read returns the records of files in a pipeline, as *domain.Chunk. Default: a part of a file is one element of work.
//		Read func(s beam.Scope, list []FileInfo, d *domain.Domain, form schema.CSV) beam.PCollection
//		// ReadApart is Read for runners to which Apart matters. Default: ReadFilesApart if Read is nil, else Read.
//		ReadApart func(s beam.Scope, list []FileInfo, d *domain.Domain, form schema.CSV) beam.PCollection
//		// Columns returns the names of the columns of a file in order, from its header line in a form. Default: by Describe.
//		Columns func(ctx context.Context, f FileInfo, form schema.CSV) ([]string, error)
//		// Describe returns the columns of a file in order, and the form in which its cells are to be read: what is declared of
//		// it, and of the rest what the header line tells.
//		Describe func(ctx context.Context, f FileInfo, declared schema.CSV) ([]Column, schema.CSV, error)
//
//		// CheckOutput returns the faults of a domain that files cannot hold. null is the text of NULL.
//		CheckOutput func(d *domain.Domain, null string) error
//		// NewWriter begins a file.
//		NewWriter func(w io.Writer, d *domain.Domain, null string) (RowWriter, error)
//		// Instead says what makes a file of the format of rows that were written, if it has no NewWriter.
//		Instead string
//	}
type Format = table.Format

// FormatOf returns the format of a name, if it is registered.
func FormatOf(name string) (*Format, bool) {
	return table.FormatOf(name)
}

// Column describes a column of a table before a domain is declared for it.
//
//	type Column struct {
//		Name     string
//		Untyped  bool        // a column of text, whose Type is to be found out
//		Type     domain.Type // of the values
//		Scale    int         // of a NUMERIC, 0 to 9
//		Digits   int         // of a NUMERIC, in all; 0: not known
//		Nullable bool
//		Fault    string // why the column cannot be read; empty if it can
//	}
type Column = table.Column

// RowWriter writes the rows of one file. Close ends the file, and leaves what is below it open.
//
//	type RowWriter interface {
//		Write(c *domain.Chunk) error
//		Close() error
//	}
type RowWriter = table.RowWriter

// RegisterPlace assigns names that begin with p.Scheme:// to p. Packages call it from an init function. It panics if
// the scheme is taken.
func RegisterPlace(p Place) {
	table.RegisterPlace(p)
}

// Place is a service that holds tables, whose names begin with its scheme.
//
//	type Place struct {
//		Scheme string // such as "bq"
//		// Source finds a table by its name, scheme included, and does not open it.
//		Source func(ctx context.Context, name string, o Options) (Source, error)
//		// Target returns the faults in a target: its name, and the way to write.
//		Target func(t Target) []*FieldError
//		// Sink returns the sink of a valid target, and sends no request to the service.
//		Sink func(t Target) Sink
//	}
type Place = table.Place

// FieldError is a fault in one field of a target.
//
//	type FieldError struct {
//		Field string // Output, Write, Release or Stage
//		Err   error
//		Fix   string // what to do; empty: the error says it
//	}
type FieldError = table.FieldError

// Sink is the open target of one run. Any call can happen twice, also concurrently and in several processes: shards
// are written under names of their own attempt, and only Publish makes them visible.
//
//	type Sink interface {
//		// Check reports at launch, before anything is spent, whether the target can hold the rows, and writes nothing.
//		Check(ctx context.Context) error
//		// Prepare makes sure that the run can write, and creates what is missing. Its error is a *FieldError if a field
//		// of the target is at fault.
//		Prepare(ctx context.Context) error
//		// Hold marks the run as active, for other runs, until release is called.
//		Hold() (release func(), err error)
//		// Create begins an attempt at one shard; shard is 0..shards−1. Of two tables people have the first half.
//		Create(ctx context.Context, shard, shards int) (Shard, error)
//		// Publish makes one complete set of shards visible, with the released files. A second call with the same rows
//		// succeeds and changes nothing.
//		Publish(ctx context.Context, refs []FileRef, r Release) (Published, error)
//		// Find returns what this run has published; false if its rows are not there. model is as in Release.
//		Find(ctx context.Context, model string) (Written, bool, error)
//		// Abandon removes what the run has left without publishing, including released files of the given names.
//		Abandon(ctx context.Context, released ...string) error
//		// Unfinished says where to check the outcome of a publication whose end was not awaited.
//		Unfinished() string
//		// Note is the line of a plan on the consequences of the target; empty: nothing.
//		Note() string
//	}
type Sink = table.Sink

// Shard is one shard being written. It ends with Commit or Abort.
//
//	type Shard interface {
//		// Write appends the rows of a chunk and does not keep it.
//		Write(c *domain.Chunk) error
//		// Commit ends the shard and returns its reference for Publish.
//		Commit() (FileRef, error)
//		// Abort discards the attempt; if that fails, it leaves a file that no reader uses.
//		Abort()
//	}
type Shard = table.Shard

// FileRef is a shard that is written and not yet published.
//
//	type FileRef struct {
//		Shard  int
//		Rows   int64
//		Bytes  int64
//		CRC32C uint32 // of the whole file, polynomial of Castagnoli
//		SHA256 string // of the whole file, in hexadecimal digits
//		URI    string // where this attempt is staged
//		Model  string // SHA-256 of the release that the rows were sampled from; sinks leave it empty
//	}
type FileRef = table.FileRef

// Release is what is published with the rows.
//
//	type Release struct {
//		Model string // names the model that the rows were sampled from
//		Files []Released
//	}
type Release = table.Release

// Published describes what has been made visible.
//
//	type Published struct {
//		URI    string // directory or table
//		Files  int
//		Rows   int64 // -1: not known
//		Bytes  int64
//		People int64  // rows of a table of people beside them; 0: no such table
//		Digest string // SHA-256 of the manifest; empty: no manifest
//	}
type Published = table.Published

// Written describes what a finished run has written.
//
//	type Written struct {
//		Published
//		Release string // directory of released files and manifest; empty: none is written
//		Job     string // that has loaded the rows into a table; empty: not known
//	}
type Written = table.Written

// Released is a file that is published with the rows, such as the privacy statement. Write is called at most once by
// each Publish and writes the same bytes each time; it is told which files were written before.
//
//	type Released struct {
//		Name  string // begins with "_"
//		Write func(w io.Writer, before []File) error
//	}
type Released = table.Released

// File is a file that was written before a Released.
//
//	type File struct {
//		Name   string
//		Rows   int64
//		Bytes  int64
//		CRC32C string // eight hexadecimal digits
//		SHA256 string // 64 hexadecimal digits
//	}
type File = table.File
