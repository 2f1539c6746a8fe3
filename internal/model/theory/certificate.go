package theory

import "math"

// Sampling returns what lies between the answers of a table and of the distribution that its units are drawn from, in
// none of m answers more with probability 1 − beta: Hoeffding's inequality and the union bound.
func Sampling(answers, units, beta float64) float64 {
	return math.Sqrt(math.Log(2*answers/beta) / (2 * units))
}
