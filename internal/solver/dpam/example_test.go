package dpam_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/solver"
)

// A run plans its accesses from public figures.
func ExampleAccesses() {
	p := solver.Problem{Workload: query.AllMarginals([]int{2, 4, 3}, 2, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000}
	accesses, err := dpam.Accesses(p)
	if err != nil {
		fmt.Println(err)
	}
	for _, a := range accesses {
		fmt.Printf("%-11s %4d times, %6.2f%% of the budget\n", a.Stage, a.Count, 100*a.Share.Float())
	}
	// Output: measure        1 times, 100.00% of the budget
}
