package outside

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/discover"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// nightly: rows of a table whose domain nobody has declared, charged to a book, by a job that may be started again.
func nightly(ctx context.Context, night, store, book, out string) error {
	people := func(s beam.Scope) beam.PCollection { return beam.CreateList(s, records(20_000)) }
	found, err := discover.Then(ctx, "prism", people, discover.Params{
		PrivacyID: "customer", Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10), Store: tables.Store(store), RunID: night, Book: book,
	})
	if err != nil {
		return err
	}
	file, err := schema.Parse("found.yaml", found.File(""))
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, people(s), synth.Params{
		Domain: file.Domain, Prior: &found.Prior, Epsilon: 1, Delta: 1e-9, Store: tables.Store(store), RunID: night, Book: book,
	})
	tables.Write(s, tables.Sample{Release: release, Rows: 500}, table.Target{Output: out})
	_, err = beam.Run(ctx, "prism", p)
	return err
}
