package avroio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bounded"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

func init() {
	table.RegisterFormat(table.Format{
		Name: "avro", Extensions: []string{".avro"},
		Check: check, Describe: describe,
		Each: func(ctx context.Context, f files.Info, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error {
			return eachPart(ctx, f, 0, 1, d, form, yield)
		},
		Parts:       func(_ context.Context, f files.Info) (int, error) { return table.PartsBySize(f), nil },
		EachPart:    eachPart,
		CheckOutput: func(d *domain.Domain, _ string) error { return checkOutput(d) },
		NewWriter:   func(w io.Writer, d *domain.Domain, _ string) (table.RowWriter, error) { return newWriter(w, d) },
	})
}

// eachPart reads the blocks that begin in a part of a file. Every chunk is a new one.
func eachPart(ctx context.Context, f files.Info, part, of int, d *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	return withFile(ctx, f, func(src files.File, size int64, h *header) error {
		r, err := newReader(f.Name, h, d)
		if err != nil {
			return err
		}
		from, to := table.PartRange(size, part, of)
		r.blocks, err = newBlocks(func(at int64) io.Reader { return io.NewSectionReader(src, at, size-at) }, h, from, to)
		if err != nil {
			return r.fault(err)
		}
		for {
			c := &domain.Chunk{}
			switch err := r.read(c); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			}
			if err := yield(c); err != nil {
				return err
			}
		}
	})
}

// withFile opens a file and reads its header.
func withFile(ctx context.Context, f files.Info, read func(src files.File, size int64, h *header) error) (err error) {
	src, f, err := files.OpenAt(ctx, f)
	if err != nil {
		return fmt.Errorf("avroio: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	h, err := readHeader(io.NewSectionReader(src, 0, f.Size))
	if err != nil {
		return fmt.Errorf("avroio: %s: %w", f.Name, err)
	}
	return read(src, f.Size, &h)
}

// check compares the schemas of files with d, and reads no record.
func check(ctx context.Context, list []files.Info, d *domain.Domain, _ schema.CSV) error {
	var errs bounded.Errors
	for _, f := range list {
		errs.Add(withFile(ctx, f, func(_ files.File, _ int64, h *header) error {
			_, err := newReader(f.Name, h, d)
			return err
		}))
	}
	return errs.Err()
}

// describe returns the fields of a file's schema.
func describe(ctx context.Context, f files.Info, _ schema.CSV) (columns []table.Column, form schema.CSV, err error) {
	err = withFile(ctx, f, func(_ files.File, _ int64, h *header) error {
		for _, field := range h.fields {
			columns = append(columns, describeField(field))
		}
		return nil
	})
	return columns, form, err
}
