package dpfw_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// A run plans its accesses from public figures.
func ExampleSettings_Accesses() {
	p := solver.Problem{Workload: query.AllMarginals([]int{2, 4, 3}, 2, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000}
	accesses, err := dpfw.Settings{}.Accesses(p)
	if err != nil {
		fmt.Println(err)
	}
	for _, a := range accesses {
		fmt.Printf("%-11s %4d times, %6.2f%% of the budget\n", a.Stage, a.Count, 100*a.Share.Float())
	}
	// Output:
	// total          1 times,   2.00% of the budget
	// select      1000 times,   0.09% of the budget
	// certificate    1 times,   5.00% of the budget
}

// A program that registers the form that selects cells has it under a name, wherever a method is named.
func ExampleMethod() {
	solver.Register(dpfw.Method(dpfw.Settings{Form: dpfw.Cell}))
	for _, m := range solver.Methods() {
		if m.Name != "dpfw-cell" {
			continue
		}
		accesses, err := m.Accesses(solver.Problem{Domain: &domain.Domain{}, Workload: query.AllMarginals([]int{2, 4, 3}, 2, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(m.Summary, accesses[1].Kind == dp.Exponential)
	}
	// Output: Frank-Wolfe: each round selects a cell and the sign of its error true
}
