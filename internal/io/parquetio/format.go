package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	tables "github.com/dapple-dp/dapple/internal/io/table"
)

func init() {
	tables.RegisterFormat(tables.Format{
		Name: "parquet", Extensions: []string{".parquet"},
		Check: func(ctx context.Context, list []files.Info, d *domain.Domain, _ schema.CSV) error {
			return Check(ctx, list, d)
		},
		Parts: parts, EachPart: eachPart,
		Read: func(s beam.Scope, list []files.Info, d *domain.Domain, _ schema.CSV) beam.PCollection {
			return Read(s, list, d)
		},
		ReadApart: readApart,
		Describe: func(ctx context.Context, f files.Info, _ schema.CSV) ([]tables.Column, schema.CSV, error) {
			columns, err := Describe(ctx, f)
			return columns, schema.CSV{}, err
		},
		NewWriter: func(w io.Writer, d *domain.Domain, _ string) (tables.RowWriter, error) {
			p, err := NewWriter(w, d, Options{})
			return rowWriter{p}, err
		},
	})
}

// RowWriter returns w as package table has writers: it does not say how many rows it wrote.
func RowWriter(w *Writer) tables.RowWriter { return rowWriter{w} }

type rowWriter struct{ *Writer }

func (w rowWriter) Close() error {
	_, err := w.Writer.Close()
	return err
}

// parts returns the number of row groups.
func parts(ctx context.Context, f files.Info) (n int, err error) {
	src, _, err := files.OpenAt(ctx, f)
	if err != nil {
		return 0, fmt.Errorf("parquet: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	r, err := openFooter(src, f.Name, ReadOptions{})
	if err != nil {
		return 0, err
	}
	return max(1, r.Groups()), nil
}

// eachPart reads some of the row groups. Every chunk is a new one.
func eachPart(ctx context.Context, f files.Info, part, of int, d *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) (err error) {
	r, err := OpenInfo(ctx, f, d, ReadOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	from, to := tables.PartRange(int64(r.Groups()), part, of)
	for i := from; i < to; i++ {
		for c, err := range r.groupChunks(int(i)) {
			if err != nil {
				return err
			}
			if err := yield(c); err != nil {
				return err
			}
		}
	}
	return nil
}
