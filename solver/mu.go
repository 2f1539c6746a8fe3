package solver

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
)

// GaussianMu returns the μ of Gaussian differential privacy that ε and δ > 0 allow, for public rules and predictions
// only: the ledger computes its own, rounded to the safe side.
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

// ZCDPRho returns the largest rho of zero-concentrated privacy that implies (ε, δ), as a float. It serves to choose a
// number of rounds, not to calibrate noise, which is the task of the ledger. It is the maximum over α > 1 of the rho
// at which exp((α−1)(αρ−ε))·(1−1/α)^α/(α−1) = δ.
//
// Source: Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Proposition 12.
func ZCDPRho(epsilon dp.Epsilon, delta dp.Delta) float64 {
	eps := float64(epsilon)
	best := 0.0
	for x := -12.0; x < 24; x += 1.0 / 64 {
		order := math.Exp(x) // α − 1
		alpha := 1 + order
		log := math.Log(float64(delta)) + x + alpha*math.Log1p(1/order)
		best = max(best, (eps+log/order)/alpha)
	}
	return best
}
