package outside

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// partitions: Parquet in, Parquet in directories such as country=FR out, and the statement in a third.
func partitions(ctx context.Context, in, out, statement string) error {
	from, err := table.Find(ctx, in, nil)
	if err != nil {
		return err
	}
	if err := from.Check(ctx, orders.Recorded(), schema.CSV{}); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	rows, release := synth.Synthesize(s, from.Read(s, orders.Recorded(), schema.CSV{}), synth.Params{
		Domain: orders, Epsilon: 1, Delta: 1e-9, As: reflect.TypeFor[Sold](),
	})
	tables.Write(s, tables.Structs{Rows: rows, PartitionBy: "country"}, table.Target{Output: out, RunID: release.RunID()})
	tables.WriteStatement(s, release, statement, 0)
	_, err = beam.Run(ctx, "prism", p)
	return err
}
