package counts_test

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// Counts are kept for the largest marginals alone: smaller ones are summed out of them. The shape is public, the
// counts are for synth.Solve.
func ExampleCount() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "plan", Type: domain.String, Values: []string{"basic", "plus"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{18, 30, 50, 99}, Resolution: 1, HasFallback: true},
	}}
	p, s := beam.NewPipelineWithRoot()
	people := beam.Create(s, &domain.Chunk{Rows: 2, Columns: []domain.Column{
		{Form: domain.Dictionary, Dict: []string{"basic", "plus"}, Ints: []int64{0, 1}}, {Form: domain.Ints, Ints: []int64{20, 40}},
	}})
	units := private.Bound(s, private.Encode(s, people, d, private.EncodeParams{}), private.BoundParams{})
	stats := counts.Count(s, units, query.AllMarginals(d.Sizes(), 2, 1000), counts.Params{})
	passert.Count(s, people, "chunks of records", 1) // counts are private: what is released of them is looked at
	if err := ptest.Run(p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(stats.Workload().Marginals), "marginals from the counts of", stats.Shape().Cliques)
	// Output: 3 marginals from the counts of [[0 1]]
}
