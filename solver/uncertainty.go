package solver

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// Uncertainty holds the quantities from which the standard errors of a model's cells follow, if the model was fitted
// to residuals. It is public; package interval holds the formulas.
type Uncertainty struct {
	// Pooled[a][v] reports that value v of attribute a was too rare to measure together with others: the model treats
	// it as independent of everything else.
	Pooled [][]bool
	// OneWay[a] is the variance of a count of the one-way marginal of attribute a (for learned bins, the mean of the
	// variances), counts²; 0 if none was measured.
	OneWay []float64
	// Bins[a] are the variances of the counts of the values of attribute a, if its bins were learned: a tree knows some better
	// than others; nil if not.
	Bins [][]float64 `json:",omitempty"`
	// Inside[a] says for each value, if bins were learned, how many people noise may hide at one end of it rather than the other: the
	// standard deviation of the sum of the numbers inside, over the width of the bin.
	Inside [][]float64 `json:",omitempty"`
	Tables []TableUncertainty
}

// TableUncertainty describes the interaction of two or three attributes: what their table adds to its
// sub-tables. Each screening, a release of noisy scores, updates the variance of its cells; see Variance.
type TableUncertainty struct {
	Clique    domain.Clique
	Scale     float64 // κ: before any release of the table, a cell of base b had the variance κ·b^1.5, counts²
	Earlier   float64 // 1/variance of a cell of the residual measured before the last screening, counts⁻²; 0: none
	Growth    float64 // the variance that the last screening estimated, as a multiple of the one expected before it
	Precision float64 // 1/variance of a cell of the residual measured after the last screening, counts⁻²; 0: none
	Distance  float64 // of the table from the model, estimated by the last screening, counts
}

// Variance returns the variance that remains after the releases of a variance v = κ·b^1.5, counts².
func (t *TableUncertainty) Variance(v float64) float64 {
	v = t.Growth * v / (1 + v*t.Earlier)
	return v / (1 + v*t.Precision)
}

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
