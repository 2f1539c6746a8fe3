package outside

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/dapple-dp/dapple/transforms/synth"
)

// budget: two releases of the same people within one total. A third does not fit.
func budget(ctx context.Context, third bool) error {
	p, s := beam.NewPipelineWithRoot()
	private := beam.CreateList(s, records(4000))
	total := &synth.Budget{Epsilon: 1, Delta: 1e-9}
	params := synth.Params{Domain: orders, Epsilon: .69, Delta: 1e-9, Budget: total, Rows: 100}
	for range 2 {
		rows, _ := synth.Synthesize(s, private, params)
		passert.Count(s, rows, "rows", 100)
	}
	if third {
		synth.Synthesize(s, private, params)
	}
	_, err := beam.Run(ctx, "direct", p)
	return err
}
