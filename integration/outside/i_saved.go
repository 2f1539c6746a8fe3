package outside

import (
	"context"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// saved: more rows of a release that was published, of one country.
func saved(ctx context.Context, release, out string) error {
	model, err := os.ReadFile(filepath.Join(release, "_model.arrow"))
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	r, err := synth.Saved(s, model, orders)
	if err != nil {
		return err
	}
	rows := synth.Sample(s, r, synth.SampleParams{Rows: 200, Where: "country = IT", As: reflect.TypeFor[Sold]()})
	tables.Write(s, tables.Structs{Rows: rows}, table.Target{Output: out, RunID: "more", Shards: 1})
	_, err = beam.Run(ctx, "direct", p)
	return err
}
