package rake

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// A run plans its accesses from public figures, makes them, and returns a model with what was released.
func ExampleSolve() {
	p := problem([]int{3, 4, 2}, 2, dp.AddRemove)
	plan, err := Accesses(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range plan {
		fmt.Printf("%-14s at most %2d numbers\n", a.Stage, a.Coordinates)
	}
	data := table(5000, p.Workload.Sizes)
	result, err := Solve(p, newCurator(new(testing.T), data, p, 10, 1)) // next to no noise
	if err != nil {
		fmt.Println(err)
		return
	}
	worst := 0.0
	pair := domain.Clique{0, 1}
	for i, g := range result.Model.Marginal(pair, nil) {
		worst = math.Max(worst, math.Abs(g-data.marginal(pair)[i]))
	}
	fmt.Printf("%.0f units, every cell of the first pair within 1 %%: %t\n", math.Round(result.Total.Units/100)*100, worst < 50)
	// Output:
	// total          at most  1 numbers
	// one-ways       at most  9 numbers
	// first scores   at most  3 numbers
	// pairs          at most 26 numbers
	// second scores  at most  3 numbers
	// final          at most 26 numbers
	// 5000 units, every cell of the first pair within 1 %: true
}
