package outside

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/dapple-dp/dapple/transforms/synth"
)

// again: stages in three scopes, of other people each, and one of what came out of another: that is public, and needs no Budget.
func again(ctx context.Context) error {
	p, s := beam.NewPipelineWithRoot()
	var first beam.PCollection
	for _, name := range []string{"north", "south", "west"} {
		scope := s.Scope(name)
		first, _ = synth.Synthesize(scope, beam.CreateList(scope, records(2000)), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 300})
	}
	second, _ := synth.Synthesize(s.Scope("again"), first, synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 100})
	passert.Count(s, second, "rows", 100)
	_, err := beam.Run(ctx, "direct", p)
	return err
}
