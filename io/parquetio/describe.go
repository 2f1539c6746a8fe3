package parquetio

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
)

// Description says what a column of a table is, before anybody has declared a domain for it.
type Description struct {
	Name     string
	Type     domain.Type
	Scale    int // of a NUMERIC, 0 to 9
	Nullable bool
	Fault    string // why the column cannot be read; empty where it can
}

// Describe returns the columns of a file in order, from its schema alone. A nested column is
// described once, as one that cannot be read.
func Describe(ctx context.Context, f files.Info) (out []Description, err error) {
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
		sc, seen := r.r.MetaData().Schema, map[string]bool{}
		for i := range sc.NumColumns() {
			if c := sc.Column(i); len(c.ColumnPath()) > 0 && !seen[c.ColumnPath()[0]] {
				seen[c.ColumnPath()[0]] = true
				out = append(out, describe(sc, c))
			}
		}
		return nil
	})
	return out, err
}

// describe finds the type of which a column can hold values.
func describe(sc *schema.Schema, c *schema.Column) Description {
	d := Description{Name: c.ColumnPath()[0], Nullable: c.MaxDefinitionLevel() > 0}
	for t := domain.String; t <= domain.Time; t++ {
		a := domain.Attribute{Name: d.Name, Type: t}
		if l, ok := c.LogicalType().(*schema.DecimalLogicalType); ok && t == domain.Numeric {
			a.Scale = int(min(max(l.Scale(), 0), numericScale))
		}
		if _, fault := mapColumn(sc, &a); fault == "" {
			d.Type, d.Scale, d.Fault = t, a.Scale, ""
			return d
		} else if t == domain.String {
			d.Fault = fault
		}
	}
	if len(c.ColumnPath()) == 1 && c.MaxRepetitionLevel() == 0 && c.MaxDefinitionLevel() < 2 {
		d.Fault = typeName(c) + " is not supported"
	}
	return d
}
