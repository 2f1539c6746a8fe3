package csvio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// Each reads all records of r and hands them to yield, chunk by chunk. Every chunk is a new one: yield
// may keep it. An error of yield ends the reading and is returned as it is.
func Each(r io.Reader, name string, d *domain.Domain, opts schema.CSV, yield func(*domain.Chunk) error) error {
	c, err := NewReader(r, name, d, opts)
	if err != nil {
		return err
	}
	return table.EachChunk(c.Read, yield)
}

// EachFile is Each for a file by its name, whatever its state.
func EachFile(name string, d *domain.Domain, opts schema.CSV, yield func(*domain.Chunk) error) error {
	return EachInfo(context.Background(), files.Info{Name: name}, d, opts, yield)
}

// EachInfo is Each for a file. It is an error if the file has changed since f was obtained.
func EachInfo(ctx context.Context, f files.Info, d *domain.Domain, opts schema.CSV, yield func(*domain.Chunk) error) error {
	r, err := files.Open(ctx, f)
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return errors.Join(Each(r, f.Name, d, opts, yield), r.Close())
}

// Check compares the header line of a file with the columns of d, and reads no more of the file than the block that
// contains it. The errors of all columns are joined.
func Check(ctx context.Context, f files.Info, d *domain.Domain, opts schema.CSV) error {
	return withFile(ctx, f, func(r io.Reader) error {
		_, err := NewReader(r, f.Name, d, opts)
		return err
	})
}

// Columns returns the names of the columns of a file: from opts, or from its header line.
func Columns(ctx context.Context, f files.Info, opts schema.CSV) (names []string, err error) {
	err = withFile(ctx, f, func(r io.Reader) error {
		c, err := open(r, f.Name, opts)
		if err == nil {
			names, err = c.names()
		}
		return err
	})
	return names, err
}

// withFile opens a file for its beginning alone.
func withFile(ctx context.Context, f files.Info, read func(io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the transfer of an object
	r, err := files.Open(ctx, f)
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	defer r.Close() // only read from
	return read(r)
}
