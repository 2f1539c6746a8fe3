package dpfw_test

import (
	"fmt"

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

// The name with settings goes wherever the name of a method goes, such as synth.Params or --method.
func ExampleMethod() {
	fmt.Println(dpfw.Method(dpfw.Settings{}))
	fmt.Println(dpfw.Method(dpfw.Settings{Form: dpfw.Cell}))
	// Output:
	// dpfw
	// dpfw{"form":"cell"}
}
