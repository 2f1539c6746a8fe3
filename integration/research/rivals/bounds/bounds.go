package bounds

import "math"

// Multiplicative returns the mean of the largest error of T rounds of multiplicative weights over k cells with private
// selection of the worst query, and the number of rounds for which it is least; rounds of 0 takes that number. cells are
// those asked for; a is the range of one query: 1 for cells, 2 for signed blocks; r is the sensitivity range of a score
// in counts; rho is the budget of all selections; units are privacy units.
//
// Proof: the regret of multiplicative weights is at most a·√(ln k/(2T)), since KL(P‖uniform) ≤ ln k; the exponential
// mechanism at scale b misses the best score by at most b·ln(candidates) in the mean; both averaged over the rounds.
func Multiplicative(k, cells, units, r, a, rho, rounds float64) (bound, best float64) {
	scale := r / math.Sqrt(8*rho) // of the choice of a single round
	best = a * math.Sqrt(math.Log(k)/2) * units / (scale * math.Log(2*cells))
	if rounds == 0 {
		rounds = best
	}
	return Selecting(k, a, scale*math.Sqrt(rounds), math.Log(2*cells), units, rounds), best
}

// Selecting returns the mean of the largest score of the averaged model of multiplicative weights over k cells, in parts
// of the units, for any number of rounds and scale b of the choices, counts: a is the range of one query, and surprise the
// logarithm of one over the probability with which the best candidate is chosen if all scores are equal.
func Selecting(k, a, b, surprise, units, rounds float64) float64 {
	return a*math.Sqrt(math.Log(k)/(2*rounds)) + b*surprise/units
}

// Regulariser returns alpha of DPFW as published, for units·ε.
func Regulariser(k, queries, unitsEpsilon, delta float64) float64 {
	return math.Pow(-math.Log(delta), .2) * math.Pow(math.Log(queries), .4) / (math.Pow(unitsEpsilon, .4) * math.Pow(max(math.Log(k), math.Ln2), .8))
}

// Printed returns the bound of DPFW as published, with its constants: T rounds, regulariser alpha, noise of scale lambda,
// diameter 2.
func Printed(rounds, alpha, lambda, k, queries float64) float64 {
	return 2*math.Pow(2, 1.5)/math.Sqrt(alpha*rounds) + 2*lambda*math.Log(2*queries) + alpha*math.Log(k)
}

// Measured returns the mean of the largest error of a distribution that is nowhere farther from noisy answers than
// scale·√(2·ln 2m), which is checked after the fit at no cost: m cells, each with Gaussian noise of the given scale in
// counts.
func Measured(scale, cells, units float64) float64 {
	return 2 * scale * math.Sqrt(2*math.Log(2*cells)) / units
}

// LeastSquares returns a bound on the root mean square over marginals of the L2 error of an exact least-squares fit over
// k cells to noisy marginals; of one marginal it was 4 to 15 times the error in simulations. Proof: ‖Q(x−P)‖² ≤ 2·⟨noise, Q(x−P)⟩ ≤ 4·max_z |Σ_A noise_A(z_A)|.
func LeastSquares(scale, k, marginals, units float64) float64 {
	return math.Sqrt(4 * scale / units * math.Sqrt(2*math.Log(2*k)/marginals))
}

// SamplingOf is theory.Sampling for one of m cells with a known share p: Bernstein's inequality.
func SamplingOf(p, answers, units, beta float64) float64 {
	l := math.Log(2 * answers / beta)
	return math.Sqrt(2*p*(1-p)*l/units) + l/(3*units)
}
