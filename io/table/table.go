// Package table finds tables by name and reads them: CSV or Parquet files, wherever they are, and tables
// and views of BigQuery.
//
//	t, err := table.Find(ctx, "gs://b/people-*.parquet", table.Options{})
//	err = t.Check(ctx, dom, schema.CSV{})          // at launch: columns and types, no record
//	rows := t.Read(s, dom, schema.CSV{})           // in a pipeline
//	err = t.Each(ctx, dom, schema.CSV{}, yield)    // or in this process
package table

import (
	"context"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/schema"
)

// Table is a table that has been found and not been read: *Files or *BigQuery.
type Table interface {
	// Check compares the columns with those of d and reads no record. The errors of all columns are joined.
	Check(ctx context.Context, d *domain.Domain, form schema.CSV) error
	// ByMetadata reports whether Check looks at metadata alone, so that a plan may call it too.
	ByMetadata() bool
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

// Options say how services are reached and used. The zero value is right for most.
type Options struct {
	BigQuery bigqueryio.Client // Project: who pays for queries and jobs; default: the table's own project
	Read     bigqueryio.ReadOptions
}

// Find finds what input names, and opens no part of it: bq://project.dataset.table; a file or a pattern; or
// a directory that a finished run wrote, of which the manifest alone is trusted. Files whose names end in
// ".parquet" are Parquet's.
func Find(ctx context.Context, input string, o Options) (Table, error) {
	if strings.HasPrefix(input, bigqueryio.Scheme) {
		t, err := findBigQuery(input, o)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	t, err := findFiles(ctx, input)
	if err != nil {
		return nil, err
	}
	return t, nil
}
