package table

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
)

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
type FileRef = dirsink.FileRef

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
type Published = dirsink.Published

// Released is a file that is published with the rows, such as the privacy statement. Write is called at most once by
// each Publish and writes the same bytes each time; it is told which files were written before.
//
//	type Released struct {
//		Name  string // begins with "_"
//		Write func(w io.Writer, before []File) error
//	}
type Released = dirsink.Released

// File is a file that was written before a Released.
//
//	type File struct {
//		Name   string
//		Rows   int64
//		Bytes  int64
//		CRC32C string // eight hexadecimal digits
//		SHA256 string // 64 hexadecimal digits
//	}
type File = dirsink.File

// Target is the destination of the rows of one run. It is plain data, from which every worker opens the same sink.
type Target struct {
	Output    string            // a directory, or a table of a place; of two tables see TwoNames
	Format    string            // of the files in a directory
	Null      string            // how text spells NULL
	Write     string            // what becomes of a table's rows, in words of its place; empty: its default
	Labels    map[string]string // of a table
	Release   string            // directory of released files; empty: next to a directory, none for a table
	Overwrite bool              // replace what an earlier run left in directories
	Shards    int               // files of each table; 0: as many as Create says
	Note      string            // for the manifest of a directory: what readers should know of the rows
	Stage     string            // directory where rows wait that are yet to be loaded into a table
	Services  Options
	RunID     string
	Domain    *domain.Domain // its attributes are the columns
	People    *domain.Domain // columns of a table of people beside the table of rows; nil: there is one table
}

// Sink is the open target of one run. Any call can happen twice, also concurrently and in several processes: shards
// are written under names of their own attempt, and only Publish makes them visible.
type Sink interface {
	// Check reports at launch, before anything is spent, whether the target can hold the rows, and writes nothing.
	Check(ctx context.Context) error
	// Prepare makes sure that the run can write, and creates what is missing. Its error is a *FieldError if a field
	// of the target is at fault.
	Prepare(ctx context.Context) error
	// Hold marks the run as active, for other runs, until release is called.
	Hold() (release func(), err error)
	// Create begins an attempt at one shard; shard is 0..shards−1. Of two tables people have the first half.
	Create(ctx context.Context, shard, shards int) (Shard, error)
	// Publish makes one complete set of shards visible, with the released files. A second call with the same rows
	// succeeds and changes nothing.
	Publish(ctx context.Context, refs []FileRef, r Release) (Published, error)
	// Find returns what this run has published; false if its rows are not there. model is as in Release.
	Find(ctx context.Context, model string) (Written, bool, error)
	// Abandon removes what the run has left without publishing, including released files of the given names.
	Abandon(ctx context.Context, released ...string) error
	// Unfinished says where to check the outcome of a publication whose end was not awaited.
	Unfinished() string
	// Note is the line of a plan on the consequences of the target; empty: nothing.
	Note() string
}

// Shard is one shard being written. It ends with Commit or Abort.
type Shard interface {
	// Write appends the rows of a chunk and does not keep it.
	Write(c *domain.Chunk) error
	// Commit ends the shard and returns its reference for Publish.
	Commit() (FileRef, error)
	// Abort discards the attempt; if that fails, it leaves a file that no reader uses.
	Abort()
}

// Release is what is published with the rows.
type Release struct {
	Model string // names the model that the rows were sampled from
	Files []Released
}

// Written describes what a finished run has written.
type Written struct {
	Published
	Release string // directory of released files and manifest; empty: none is written
	Job     string // that has loaded the rows into a table; empty: not known
}

// FieldError is a fault in one field of a target.
type FieldError struct {
	Field string // Output, Write, Release or Stage
	Err   error
	Fix   string // what to do; empty: the error says it
}

func (e *FieldError) Error() string { return e.Err.Error() }

func (e *FieldError) Unwrap() error { return e.Err }

// OpenSink returns the sink of a target. It opens nothing: Check reports faults of names.
func OpenSink(t Target) Sink {
	if p, ok := PlaceOf(t.Output); ok {
		return p.Sink(t)
	}
	format, _ := FormatOf(t.Format)
	d := &directory{Target: t, format: format, dir: dirsink.Dir{
		Path: t.Output, Release: t.Release, RunID: t.RunID, Shards: t.Shards, Extension: t.Format, Overwrite: t.Overwrite, Note: t.Note,
	}}
	if t.People != nil {
		d.dir.Tables, d.dir.Shards = true, len(dirsink.TableNames)*t.Shards
	}
	return d
}

// Rows returns the number of rows of all shards, without the rows of a table of people.
func (t *Target) Rows(refs []FileRef) (n int64) {
	for _, r := range refs {
		if t.People == nil || r.Shard >= len(refs)/2 {
			n += r.Rows
		}
	}
	return n
}

// noFormat is the error for a format that is not registered, or not written.
func noFormat(name string) error {
	if why := NotWritten(name); why != "" {
		return errors.New("table: " + why)
	}
	return fmt.Errorf("table: no format %q in this program; want %s", name, strings.Join(Writable("parquet"), " or "))
}

// NewShard returns a shard that writes a part of a directory by a writer of rows.
func NewShard(part *dirsink.Part, rows RowWriter) Shard { return &partShard{part: part, rows: rows} }

// partShard counts the rows of one part.
type partShard struct {
	part *dirsink.Part
	rows RowWriter
	n    int64
}

func (s *partShard) Write(c *domain.Chunk) error {
	s.n += int64(c.Rows)
	return s.rows.Write(c)
}

func (s *partShard) Commit() (dirsink.FileRef, error) {
	if err := s.rows.Close(); err != nil {
		_ = s.part.Abort() // the failure that led to it is the one to report
		return dirsink.FileRef{}, err
	}
	return s.part.Commit(s.n)
}

func (s *partShard) Abort() { _ = s.part.Abort() }
