package parquetio

import (
	"context"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
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
	err = protect(f.Name, func() error {
		encrypted, err := r.encrypted()
		if err != nil {
			return err
		}
		last := -1
		for i := range r.m.leaves {
			if c := &r.m.leaves[i]; c.top != last {
				last = c.top
				out = append(out, describe(c, i < len(encrypted) && encrypted[i].encrypted))
			}
		}
		return nil
	})
	return out, err
}

// encrypted returns what the first row group states of its columns.
func (r *Reader) encrypted() ([]chunk, error) {
	if len(r.m.groups) == 0 {
		return nil, nil
	}
	return r.m.groups[0].columns(nil)
}

// describe finds the type that a column holds values of.
func describe(c *field, encrypted bool) tables.Column {
	d := tables.Column{Name: c.path[0], Nullable: c.optional}
	switch {
	case len(c.path) > 1 && c.outer >= 16:
		d.Fault = fmt.Sprintf("it is %s; convert it, or leave it out of the domain", logical{kind: c.outer})
	case len(c.path) > 1:
		d.Fault = nestedFault(c)
	case c.repeated:
		d.Fault = "it is REPEATED; flatten it or leave it out of the domain"
	case encrypted:
		d.Fault = errEncryptedColumn.Error()
	}
	if d.Fault != "" {
		return d
	}
	for _, row := range types {
		a := domain.Attribute{Name: d.Name, Type: row.typ}
		if c.kind == kindDecimal {
			a.Scale = int(min(max(c.scale, 0), numericScale))
		}
		if l := (leaf{optional: c.optional}); l.fits(c, &a) {
			if d.Type = row.typ; row.typ == domain.Numeric {
				d.Scale = a.Scale
			}
			return d
		}
	}
	d.Fault = c.typeName() + " is not supported"
	return d
}
