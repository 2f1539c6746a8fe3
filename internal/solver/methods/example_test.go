package methods_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// The rule names a method before any data is read.
func ExampleChoose() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"female", "male"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 40, 65, 110}, Resolution: 1, HasFallback: true},
	}}
	p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Units: solver.DefaultUnits}
	m, why, err := methods.Choose(p, solver.Auto)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name)
	fmt.Println(why)
	// Output:
	// dpam
	// δ = 0 and 1 marginals are at most 6·(units·ε)^0.4 = 455: one release
}
