// Package table finds tables by name and reads them, in any format and place that a program imports. The public package of this
// name passes on what users need.
package table

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
)

// Source is a table that has been found and not yet read: files of one format, or a table of a place.
type Source interface {
	// Check compares the columns with the columns of d and reads no record. The errors of all columns are joined.
	Check(ctx context.Context, d *domain.Domain, form schema.CSV) error
	// ByMetadata reports whether Check reads only metadata, so that a plan may call it too.
	ByMetadata() bool
	// Form returns the part of the form declared by a domain file that applies to this table: all of it for text,
	// else nothing.
	Form(declared schema.CSV) schema.CSV
	// Columns returns the names of the columns in order, from the header line in the declared form, a footer or metadata:
	// records do not change them. It returns nil for what can be read only once.
	Columns(ctx context.Context, form schema.CSV) ([]string, error)
	// Describe returns the columns in order from header lines, footers or metadata, and the form in which to read them: what
	// is declared of it, and of the rest what the header line tells.
	Describe(ctx context.Context, declared schema.CSV) ([]Column, schema.CSV, error)
	// Read returns the records in a pipeline, as *domain.Chunk. Call Check before.
	Read(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection
	// Each passes all records to yield, chunk by chunk. Call Check before. A chunk is valid until the next one. An
	// error of yield ends the reading and is returned unchanged.
	Each(ctx context.Context, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
	// Identity names the table and its state: two tables of equal identity hold the same records. known is false if
	// states cannot be distinguished. Call Check before.
	Identity() (id string, known bool)
	// Bytes is the number of bytes to read; 0: not known.
	Bytes() int64
	// Note is what people should know before the table is read; empty: nothing.
	Note() string
}

// OneName asks what a header line of one name may be where another name is missing; nothing of others.
func OneName(names []string) string {
	if len(names) != 1 {
		return ""
	}
	return "; the first line is one name: do lines stand before the names, or is the separator none of , ; | and the tab?"
}

// Find finds the table that input names, and does not open it: a table of a registered place; a file or a pattern; or
// a directory written by a finished run, in which it trusts only the manifest. The extensions of files give their
// format.
func Find(ctx context.Context, input string, o Options) (Source, error) {
	if p, ok := PlaceOf(input); ok {
		return p.Source(ctx, input, o)
	}
	t, people, err := findFiles(ctx, input)
	switch {
	case err != nil:
		return nil, err
	case people != nil:
		names := TwoNames(input)
		return nil, fmt.Errorf("table: %s holds a table of people and one of their rows; name %s or %s", input, names[0], names[1])
	}
	return t, nil
}

// TwoNames returns the names of the two tables, of people and of their rows, that are written to an output: directories in
// it, or tables whose names begin with its own.
func TwoNames(output string) (names [2]string) {
	for i, table := range dirsink.TableNames {
		if _, ok := PlaceOf(output); ok {
			names[i] = output + "_" + table
		} else {
			names[i] = files.Join(output, table)
		}
	}
	return names
}

// FindTwo is Find for what may be two tables of a run, of people and of their rows; people is nil if it is one.
func FindTwo(ctx context.Context, input string, o Options) (rows, people Source, err error) {
	if p, ok := PlaceOf(input); ok {
		return findPlaced(ctx, p, input, o)
	}
	t, p, err := findFiles(ctx, input)
	if err != nil {
		return nil, nil, err
	}
	if p != nil {
		people = p
	}
	return t, people, nil
}

// findPlaced is FindTwo for a place, which it asks whether there is a table of the name, or two.
func findPlaced(ctx context.Context, p Place, input string, o Options) (rows, people Source, err error) {
	if rows, err = p.Source(ctx, input, o); err != nil || isThere(ctx, rows) {
		return rows, nil, err
	}
	var two [2]Source
	for i, name := range TwoNames(input) {
		if two[i], err = p.Source(ctx, name, o); err != nil || !isThere(ctx, two[i]) {
			return rows, nil, nil // whose Check says what is the matter
		}
	}
	return two[1], two[0], nil
}

func isThere(ctx context.Context, t Source) bool {
	_, _, err := t.Describe(ctx, schema.CSV{})
	return err == nil
}
