package bounds

import "math"

// Setting is what the rates depend on.
type Setting struct {
	Cells   float64 // of the universe, k
	Queries float64 // signed: twice the number of cells asked for, |Q|
	Width   float64 // Gaussian width of the queries, see Width; only dpam's rates need it
	Units   float64 // n
	Epsilon float64
	Delta   float64 // above 0
}

// power is d^a · ln|Q|^b · ln(1/δ)^c / (n·ε)^e, in which d = log2 k.
func (s Setting) power(a, b, c, e float64) float64 {
	return math.Pow(math.Log2(s.Cells), a) * math.Pow(math.Log(s.Queries), b) *
		math.Pow(math.Log(1/s.Delta), c) / math.Pow(s.Units*s.Epsilon, e)
}

// Rate returns the rate at which a method's largest error is known to fall, with constant 1: Table 1, for dpfw Theorem 3
// and for dpam Theorem 5. PMW, PEP and the adaptive family have MWEM's. It is false without a rate.
func Rate(method string, s Setting) (float64, bool) {
	switch method {
	case "mwem", "pmw", "pep", "adaptive":
		return s.power(.25, .5, .5, .5), true
	case "dualquery":
		return s.power(1./6, .5, 1./6, 1./3), true
	case "dqrs":
		return s.power(.2, .6, .2, .4), true
	case "fem":
		return s.power(.75, .5, .5, .5), true
	case "sepfem":
		return s.power(.625, .5, .5, .5), true
	case "dpfw", "dpfw-paper":
		return s.power(.2, .4, .2, .4), true
	case "dpam", "dpam-paper":
		return math.Sqrt(s.Width) * math.Pow(math.Log(s.Cells)*math.Log(1/s.Delta), .25) / math.Sqrt(s.Units*s.Epsilon), true
	}
	return math.NaN(), false
}

// DPAMApplies reports whether Theorem 5 holds for a setting: n·ε ≥ w³·√ln(1/δ) / (16·ln^1.5 k).
func DPAMApplies(s Setting) bool {
	return s.Units*s.Epsilon >= math.Pow(s.Width, 3)*math.Sqrt(math.Log(1/s.Delta))/(16*math.Pow(math.Log(s.Cells), 1.5))
}

// Gap returns the rate of the gap that Theorem 1 states for Frank-Wolfe with regulariser alpha; the largest error has
// the rate Gap + alpha·ln k, Theorem 2.
func Gap(s Setting, alpha float64) float64 {
	return math.Pow(math.Log(1/s.Delta)/alpha, .25) * math.Sqrt(math.Log(s.Queries)/(s.Epsilon*s.Units))
}

// SmoothedGap returns the rate of Theorem 4, for accelerated descent on the smoothed dual.
func SmoothedGap(s Setting, alpha float64) float64 {
	l, lk, ne := math.Log(1/s.Delta), math.Log(s.Cells), s.Units*s.Epsilon
	return math.Pow(l, .75)*math.Pow(s.Width, 2.5)/(alpha*math.Pow(lk, 1.25)*math.Pow(ne, 1.5)) +
		math.Sqrt(l/lk)*s.Width/(alpha*ne)
}

// LowerBound returns the rate below which no method gets on one family of dense queries, up to logarithms. It is no
// floor for marginals: their measured errors lie below it.
func LowerBound(s Setting) float64 {
	return math.Pow(math.Log(s.Cells), .25) * math.Sqrt(math.Log(s.Queries)/(s.Epsilon*s.Units))
}
