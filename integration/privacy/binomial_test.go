package privacy

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// clopperPearson returns one-sided bounds on the probability of an event, given hits in n independent trials:
// the probability is below low with confidence at most alpha, and above high with at most alpha.
//
// Source: Clopper, Pearson 1934. The tails of the binomial law are gonum's incomplete beta function.
func clopperPearson(hits, n int, alpha float64) (low, high float64) {
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

// TestClopperPearson: no hit of n leaves 1 − alpha^(1/n) (the rule of three), and the bounds of others
// put exactly alpha into their tails, by the sum of the binomial law.
func TestClopperPearson(t *testing.T) {
	if _, high := clopperPearson(0, 100, .05); math.Abs(high-(1-math.Pow(.05, .01))) > 1e-12 {
		t.Errorf("no hit: %g", high)
	}
	if low, _ := clopperPearson(100, 100, .05); math.Abs(low-math.Pow(.05, .01)) > 1e-12 {
		t.Errorf("only hits: %g", low)
	}
	const n, hits, alpha = 60, 17, 1e-4
	low, high := clopperPearson(hits, n, alpha)
	tail := func(from, to int, p float64) (sum float64) {
		c := math.Pow(1-p, n)
		for k := 0; k <= n; k++ {
			if from <= k && k <= to {
				sum += c
			}
			c *= float64(n-k) / float64(k+1) * p / (1 - p)
		}
		return sum
	}
	if a, b := tail(hits, n, low), tail(0, hits, high); math.Abs(a/alpha-1) > 1e-6 || math.Abs(b/alpha-1) > 1e-6 {
		t.Errorf("bounds %g, %g leave %g and %g in their tails, want %g", low, high, a, b, alpha)
	}
}
