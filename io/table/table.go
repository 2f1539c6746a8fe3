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
// A new format is a package that calls RegisterFormat, a service that holds tables one that calls RegisterPlace, and a
// store of files one that calls files.Register.
package table

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
)

// Source is a table that has been found and not been read: files of one format, or a table of a place.
type Source interface {
	// Check compares the columns with those of d and reads no record. The errors of all columns are joined.
	Check(ctx context.Context, d *domain.Domain, form schema.CSV) error
	// ByMetadata reports whether Check looks at metadata alone, so that a plan may call it too.
	ByMetadata() bool
	// Form returns what of the form that a domain file declares applies to this table: all for text, else nothing.
	Form(declared schema.CSV) schema.CSV
	// Describe returns the columns in order from header lines, footers or metadata, and the form in which to read them.
	Describe(ctx context.Context) ([]Column, schema.CSV, error)
	// Read returns the records in a pipeline, as *domain.Chunk. Call Check before.
	Read(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection
	// Each hands all records to yield, chunk by chunk. Call Check before. A chunk is valid until the next
	// one. An error of yield ends the reading and is returned as it is.
	Each(ctx context.Context, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
	// Identity names the table and its state, so that two tables of one identity hold the same records. known is
	// false if nothing tells the states apart. Call Check before.
	Identity() (id string, known bool)
	// Bytes is the size of what is read; 0: not known.
	Bytes() int64
	// Note says what people should know before the table is read; empty: nothing.
	Note() string
}

// Find finds what input names, and opens no part of it: a table of a registered place; a file or a pattern; or
// a directory that a finished run wrote, of which the manifest alone is trusted. The extensions of files say what
// format they have.
func Find(ctx context.Context, input string, o Options) (Source, error) {
	if p, ok := PlaceOf(input); ok {
		return p.Source(ctx, input, o)
	}
	t, err := findFiles(ctx, input)
	if err != nil {
		return nil, err
	}
	return t, nil
}
