package solver_test

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/solver"
)

// TestGaussianMu against published values: μ-GDP is (ε, δ(ε))-DP with δ(1) = .1269 at μ = 1.
func TestGaussianMu(t *testing.T) {
	if got := solver.GaussianMu(1, .12693674); math.Abs(got-1) > 1e-6 {
		t.Errorf("got %g, want 1", got)
	}
}
