package plan_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/solver"
)

// A plan is made of public figures alone.
func ExampleMake() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"female", "male"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 40, 65, 110}, Resolution: 1, HasFallback: true},
	}}
	for _, units := range []float64{1000, 100_000} {
		p, err := plan.Make(solver.Problem{
			Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 0.1, Delta: 1e-9, Units: units,
		}, "dpam", 0, true, 0, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%g people: total variation about %.1g\n", units, p.AverageTV)
	}
	// Output:
	// 1000 people: total variation about 0.1
	// 100000 people: total variation about 0.002
}
