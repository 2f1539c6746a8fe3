package solver_test

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestGaussianMu against published values: μ-GDP is (ε, δ(ε))-DP with δ(1) = .1269 at μ = 1.
func TestGaussianMu(t *testing.T) {
	got := solver.GaussianMu(1, .12693674)
	must.Hold(t, math.Abs(got-1) <= 1e-6, "got %g, want 1", got)
}

// TestZCDPRho compares with the values that the reference figures were made at.
func TestZCDPRho(t *testing.T) {
	for _, c := range []struct {
		eps    dp.Epsilon
		n, rho float64
	}{
		{.1, 48_842, 1.675e-4}, {1, 48_842, .01427}, {10, 48_842, 1.0521},
		{.1, 10_000, 2.088e-4}, {1, 10_000, .017205}, {10, 10_000, 1.2084},
	} {
		got := solver.ZCDPRho(c.eps, dp.Delta(1/(c.n*c.n)))
		must.Hold(t, math.Abs(got/c.rho-1) <= 5e-4, "rho(%g, 1/%g²) = %g, want %g", c.eps, c.n, got, c.rho)
	}
}
