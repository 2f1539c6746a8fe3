package evaluate

import (
	"context"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// ReadTrue reads a true table, CSV in the form that the domain file declares, Parquet or BigQuery's: a
// file, a pattern such as dir/*.parquet, a released directory, bq://project.dataset.table. Where the domain has a privacy ID the table
// holds one record of each privacy unit; see Builder.
//
// Errors name files and columns, never a value.
func ReadTrue(ctx context.Context, input string, f *schema.File, o table.Options) (*Table, error) {
	return read(ctx, input, f.Domain, f.CSV, o)
}

// ReadSynthetic reads a synthetic table, CSV with a header line, Parquet or BigQuery's: a released
// directory, of which it trusts only the manifest, or whatever ReadTrue takes. Every row counts: synthetic rows have no IDs.
func ReadSynthetic(ctx context.Context, input string, f *schema.File, o table.Options) (*Table, error) {
	d := *f.Domain
	d.PrivacyID = ""
	return read(ctx, input, &d, schema.CSV{}, o)
}

func read(ctx context.Context, input string, d *domain.Domain, form schema.CSV, o table.Options) (*Table, error) {
	t, err := table.Find(ctx, input, o)
	if err == nil {
		err = t.Check(ctx, d, form)
	}
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
