package pipelines

import (
	"context"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// source is a private table that has been found and not been opened.
type source interface {
	// Check compares the table's columns with the domain's and reads no record. Its errors may be joined.
	Check(ctx context.Context, d *domain.Domain, form schema.CSV) error
	// Read returns the records as *domain.Chunk.
	Read(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection
	// Bytes is the size of what is read; 0: not known.
	Bytes() int64
}

// findSource finds a table by the form of its name.
func findSource(ctx context.Context, input string) (source, error) {
	t, err := table.Find(ctx, input)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// checkInput finds the table that the input names, and opens no part of it.
func checkInput(ctx context.Context, r *Request, f *Faults) {
	if r.Input == "" {
		f.add("--input", "is required: the private table", "")
		return
	}
	var err error
	if r.source, err = findSource(ctx, r.Input); err != nil {
		f.add("--input", plainError(err), "")
	}
}

// checkColumns compares the input's columns with the domain's.
func checkColumns(ctx context.Context, r *Request, f *Faults) {
	for _, err := range eachError(r.source.Check(ctx, r.File.Domain, r.File.CSV)) {
		f.add("--input", plainError(err), "")
	}
}

// eachError takes joined errors apart.
func eachError(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, eachError(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// plainError is the text of an error without the names of packages and system calls before it.
func plainError(err error) string {
	text := plainPathError(err)
	for _, prefix := range prefixes {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
