package solver_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/solver"
)

// A method plans its accesses to private data, so that the ledger's events are known before anything is read.
func ExampleCoordinates() {
	planned := []solver.Access{
		{Stage: "total", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(1, 20), Coordinates: 1},
		{Stage: "columns", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(19, 20), Marginals: 2, Coordinates: 10},
	}
	fmt.Println(solver.Coordinates(planned), "noisy numbers; adaptive:", solver.Adaptive(planned))
	// Output: 11 noisy numbers; adaptive: false
}
