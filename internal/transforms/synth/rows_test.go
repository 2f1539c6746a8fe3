package synth_test

import (
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// TestOwnWorkloadOfRows: a workload of one's own says nothing of the number of a person's rows. Synthesize adds it, and Solve
// refuses to take it for uniform.
func TestOwnWorkloadOfRows(t *testing.T) {
	table := &domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, HasFallback: true},
		{Name: "ward", Type: domain.String, Values: []string{"eye", "bone"}, HasFallback: true},
	}}
	d := must.Value(table.WithEvents([]string{"sex"}, nil, []int64{1, 2, 3}, 3))(t)
	type visit struct{ Who, Sex, Ward string }
	own := query.Workload{Sizes: d.Sizes(), Marginals: []query.Marginal{{Clique: domain.NewClique(0, 1), Weight: 1}}}

	_, s := beam.NewPipelineWithRoot()
	synth.Synthesize(s, beam.CreateList(s, []visit{{}}), synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9, Workload: own})

	defer func() {
		said, _ := recover().(string)
		must.Hold(t, strings.Contains(said, "query.WithRows"), "panicked with %q", said)
	}()
	units := private.Bound(s, private.Encode(s, beam.CreateList(s, []visit{{}}), d, private.EncodeParams{}), private.BoundParams{})
	synth.Solve(s, counts.Count(s, units, own, counts.Params{}), synth.SolveParams{Epsilon: 1, Delta: 1e-9})
}
