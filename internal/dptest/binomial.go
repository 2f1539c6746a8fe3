package dptest

import "math"

// ClopperPearson returns one-sided bounds on a probability, of which hits of n independent trials were
// seen: the probability is below low with confidence at most alpha, and above high with at most alpha.
//
// Source: Clopper, Pearson 1934. The tails of the binomial law are summed exactly, in log space.
func ClopperPearson(hits, n int, alpha float64) (low, high float64) {
	low, high = 0, 1
	if hits > 0 {
		low = bisect(func(p float64) bool { return upperTail(hits, n, p) <= alpha })
	}
	if hits < n {
		high = bisect(func(p float64) bool { return 1-upperTail(hits+1, n, p) > alpha })
	}
	return low, high
}

// bisect returns the largest p in [0, 1] for which a predicate holds that, once false, stays false.
func bisect(holds func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// upperTail returns P(X ≥ k) for X binomial with n trials of probability p: the regularised incomplete
// beta function I_p(k, n−k+1), by Lentz's continued fraction (DLMF 8.17.22).
func upperTail(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n || p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	a, b := float64(k), float64(n-k+1)
	if p > (a+1)/(a+b+2) {
		return 1 - betaFraction(b, a, 1-p)
	}
	return betaFraction(a, b, p)
}

func betaFraction(a, b, x float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	c, d := 1.0, 1/(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 10_000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/(1+even*d), 1+even/c
		h *= c * d
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/(1+odd*d), 1+odd/c
		h *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return front * h
}
