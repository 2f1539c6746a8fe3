package parquetio

import (
	"context"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
	tables "github.com/dapple-dp/dapple/io/table"
)

// Describe returns the columns of a file in order, from its schema alone. A nested column is
// described once, as one that cannot be read.
func Describe(ctx context.Context, f files.Info) (out []tables.Column, err error) {
	src, _, err := files.OpenAt(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	r, err := openFooter(src, f.Name, ReadOptions{})
	if err != nil {
		return nil, err
	}
	err = codec.Protect(f.Name, func() error {
		encrypted, err := r.file.Encrypted()
		if err != nil {
			return err
		}
		last := -1
		for i := range r.file.Leaves {
			if c := &r.file.Leaves[i]; c.Top != last {
				last = c.Top
				out = append(out, describe(c, encrypted[i]))
			}
		}
		return nil
	})
	return out, err
}

// describe finds the type that a column holds values of.
func describe(c *codec.Field, encrypted bool) tables.Column {
	d := tables.Column{Name: c.Path[0], Nullable: c.Optional, Fault: shapeFault(c)}
	if d.Fault == "" && encrypted {
		d.Fault = codec.ErrEncryptedColumn.Error()
	}
	if d.Fault != "" {
		return d
	}
	for _, row := range types {
		a := domain.Attribute{Name: d.Name, Type: row.typ}
		if c.Kind == codec.KindDecimal {
			a.Scale = int(min(max(c.Scale, 0), numericScale))
		}
		if l := (leaf{}); l.fits(c, &a) {
			if d.Type = row.typ; row.typ == domain.Numeric {
				d.Scale = a.Scale
			}
			return d
		}
	}
	d.Fault = c.TypeName() + " is not supported"
	return d
}
