package solver

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
)

// GaussianMu returns the μ of Gaussian differential privacy that ε and δ > 0 allow, for public rules and
// predictions only: the ledger has its own, which is rounded to the safe side.
//
// Source: Dong, Roth, Su 2022, Corollary 2.13.
func GaussianMu(epsilon dp.Epsilon, delta dp.Delta) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	e, lo, hi := float64(epsilon), 1e-9, 100.0
	for range 100 {
		mu := math.Sqrt(lo * hi)
		if phi(mu/2-e/mu)-math.Exp(e)*phi(-mu/2-e/mu) <= float64(delta) {
			lo = mu
		} else {
			hi = mu
		}
	}
	return lo
}
