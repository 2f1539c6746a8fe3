package outside

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// stored: a job that may be started again, with its release in a store, its rows and its statement in directories.
func stored(ctx context.Context, store, out string) error {
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, records(2000)), synth.Params{
		Domain: orders, Epsilon: 1, Delta: 1e-9, Store: tables.Store(store), RunID: "orders-2026-11-24",
	})
	tables.Write(s, tables.Sample{Release: release, Rows: 500}, table.Target{Output: out})
	_, err := beam.Run(ctx, "prism", p)
	return err
}
