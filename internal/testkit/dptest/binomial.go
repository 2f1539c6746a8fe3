package dptest

import (
	"gonum.org/v1/gonum/mathext"

	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// ClopperPearson returns one-sided bounds on the probability of an event, given hits in n independent trials:
// the probability is below low with confidence at most alpha, and above high with at most alpha.
//
// Source: Clopper, Pearson 1934. The tails of the binomial law are gonum's incomplete beta function.
func ClopperPearson(hits, n int, alpha float64) (low, high float64) {
	low, high = 0, 1
	if hits > 0 {
		low, _ = bisect.Steps(0, 1, 60, func(p float64) bool { return upperTail(hits, n, p) > alpha })
	}
	if hits < n {
		high, _ = bisect.Steps(0, 1, 60, func(p float64) bool { return 1-upperTail(hits+1, n, p) <= alpha })
	}
	return low, high
}

// upperTail returns P(X ≥ k) for X binomial with n trials of probability p: the regularised incomplete
// beta function I_p(k, n−k+1).
func upperTail(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n || p <= 0:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}
