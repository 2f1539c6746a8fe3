package theory

import "math"

// Choices returns by how much the choices of some rounds fall short of the best candidate, in the mean over the rounds and
// with probability 1 − beta at most: each is made by the exponential mechanism at the given scale among so many
// candidates, and may depend on the choices before. The unit is that of scale.
//
// Proof: given what was before, a choice falls short by more than b·(ln candidates + x) with probability exp(−x) at most,
// so that the sum of T of them is below b·T·ln candidates plus b times a sum of T exponential variables; for that,
// Chernoff's bound at its best exponent u < 1: (ln(1/beta)/T − ln(1 − u))/u.
func Choices(scale, candidates, rounds, beta float64) float64 {
	tail := func(u float64) float64 { return (-math.Log(beta)/rounds - math.Log1p(-u)) / u }
	low, high := 1e-9, 1-1e-9
	for range 100 { // tail falls, then rises
		a, b := low+(high-low)/3, high-(high-low)/3
		if tail(a) < tail(b) {
			high = b
		} else {
			low = a
		}
	}
	return scale * (math.Log(candidates) + tail(low))
}

// Sampling returns what lies between the answers of a table and of the distribution that its units are drawn from, in
// none of m answers more with probability 1 − beta: Hoeffding's inequality and the union bound.
func Sampling(answers, units, beta float64) float64 {
	return math.Sqrt(math.Log(2*answers/beta) / (2 * units))
}
