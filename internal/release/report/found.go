package report

import (
	"fmt"
	"math"
)

// Found is what it has cost to find the domain, before the run and apart from its ε and δ.
type Found struct {
	ID         string  `json:"id"` // as in the domain file
	Epsilon    float64 `json:"epsilon"`
	Delta      float64 `json:"delta"`
	Accounting string  `json:"accounting"`
	Loss       string  `json:"loss"` // exact, a/b: rho or μ²/2
	// TogetherEpsilon and TogetherDelta are what the finding and this release promise together.
	TogetherEpsilon float64 `json:"together_epsilon"`
	TogetherDelta   float64 `json:"together_delta"`
}

// String says it in a sentence without its full stop.
func (f Found) String() string {
	return fmt.Sprintf("the domain was found with ε = %g and δ = %g, and all releases that use it share that: with this one it is ε = %g and δ = %.4g", f.Epsilon, f.Delta, math.Ceil(1e4*f.TogetherEpsilon)/1e4, f.TogetherDelta)
}
