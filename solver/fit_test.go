package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestFit: noise alone is explained, whatever the number of tables and of their answers, in all of 2,000 releases; at most
// 2 are expected not to be; a table with three times its noise is not, and is the one that is named.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		tables := make([]solver.TableFit, 1+rng.IntN(300))
		for i := range tables {
			tables[i] = solver.TableFit{Clique: domain.Clique{i}, Freedom: float64(1 + rng.IntN(20))}
			for range int(tables[i].Freedom) {
				x := rng.NormFloat64()
				tables[i].Square += x * x
			}
		}
		if f := solver.NewFit(tables); !f.Holds() || f.StatusOf(solver.Converged) != solver.Converged {
			t.Fatalf("noise is not explained: %+v", f)
		}
		at := rng.IntN(len(tables))
		tables[at].Freedom = 200
		tables[at].Square = 9 * tables[at].Freedom
		f := solver.NewFit(tables)
		must.Need(t, !f.Holds() && f.StatusOf(solver.Converged) == solver.Unfit && len(f.Off) == 1 && f.Off[0].Clique.Equal(tables[at].Clique) && math.Abs(f.Off[0].Widening()-3) <= 1e-9,
			"table %d of %d is further off than noise explains: %+v", at, len(tables), f)
	}
	must.Hold(t, (*solver.Fit)(nil).StatusOf(solver.RoundsDone) == solver.RoundsDone, "nothing was tested, and something failed")
}

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
