package rake_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/solver"
)

// A run plans its accesses from public figures.
func ExampleAccesses() {
	p := solver.Problem{Workload: query.AllMarginals([]int{2, 90, 16, 100, 42}, 2, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000}
	accesses, err := rake.Accesses(p)
	if err != nil {
		fmt.Println(err)
	}
	for _, a := range accesses {
		fmt.Printf("%-13s %5.2f%% of the budget\n", a.Stage, 100*a.Share.Float())
	}
	// Output:
	// total          1.00% of the budget
	// one-ways      24.00% of the budget
	// first scores   1.00% of the budget
	// pairs         51.10% of the budget
	// second scores  1.00% of the budget
	// final         21.90% of the budget
}
