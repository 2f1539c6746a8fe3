package evaluate

import (
	"context"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// ReadTrue reads a true table, CSV in the form that the domain file declares or Parquet: a file, a
// pattern such as dir/*.parquet, or a released directory. Where the domain has a privacy ID the table
// holds one record of each privacy unit; see Builder.
//
// Errors name files and columns, never a value.
func ReadTrue(ctx context.Context, input string, f *schema.File) (*Table, error) {
	return read(ctx, input, f.Domain, f.CSV)
}

// ReadSynthetic reads a synthetic table, CSV with a header line or Parquet: a released directory, of
// which it trusts only the manifest, a file, or a pattern. Every row counts: synthetic rows have no IDs.
func ReadSynthetic(ctx context.Context, input string, f *schema.File) (*Table, error) {
	d := *f.Domain
	d.PrivacyID = ""
	return read(ctx, input, &d, schema.CSV{})
}

func read(ctx context.Context, input string, d *domain.Domain, form schema.CSV) (*Table, error) {
	t, err := table.Find(ctx, input)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	b := NewBuilder(d)
	err = t.Each(ctx, d, form, func(chunk *domain.Chunk) error {
		b.Add(chunk)
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	return b.Table(), nil
}
