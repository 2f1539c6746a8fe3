package outside

import (
	"context"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// whole is all of the budget.
var whole = dp.ShareOf(1, 1)

func init() {
	solver.Register(solver.Method{
		Name:       "even",
		Summary:    "counts the units and makes all records equally likely",
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.GaussianOnly },
		Accesses: func(solver.Problem) ([]solver.Access, error) {
			return []solver.Access{{Stage: "total", Kind: dp.DiscreteGaussian, Count: 1, Share: whole, Coordinates: 1}}, nil
		},
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			total, err := c.Total("total", whole)
			if err != nil {
				return nil, err
			}
			m := &solver.Model{Sizes: p.Domain.Sizes(), Columns: make([][]domain.Code, p.Domain.Len())}
			for i := range 900 {
				for a, size := range m.Sizes {
					m.Columns[a] = append(m.Columns[a], domain.Code(i%size))
				}
				m.Weights = append(m.Weights, max(1, total.Units)/900)
			}
			return &solver.Result{Model: m, Total: total, RMSE: math.NaN(), Status: solver.RoundsDone}, nil
		},
	})
}

// method: the stage with an algorithm of one's own.
func method(ctx context.Context) error {
	p, s := beam.NewPipelineWithRoot()
	rows, _ := synth.Synthesize(s, beam.CreateList(s, records(2000)), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Method: "even", Rows: 90})
	passert.Count(s, rows, "rows", 90)
	_, err := beam.Run(ctx, "direct", p)
	return err
}
