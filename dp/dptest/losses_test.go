package dptest

import (
	"math"
	"testing"
)

// TestLosses checks every reading of the losses of two coins by hand.
func TestLosses(t *testing.T) {
	l := LossesOf([]float64{.75, .25}, []float64{.25, .75})
	ln3 := math.Log(3)
	for name, c := range map[string]struct{ got, want float64 }{
		"worst":       {l.Worst(), ln3},
		"divergence":  {l.Divergence(), .5 * ln3},
		"order 2":     {l.Renyi(2), math.Log(.75*3 + .25/3)},
		"delta at 0":  {l.Delta(0), .5},
		"delta":       {l.Delta(math.Log(2)), .75 - 2*.25},
		"epsilon":     {l.Epsilon(.25), math.Log(2)},
		"epsilon 0":   {l.Epsilon(.5), 0},
		"two draws":   {l.Then(l).Worst(), 2 * ln3},
		"probability": {l.Then(l)[0], 2 * .75 * .25},
	} {
		if math.Abs(c.got-c.want) > 1e-11 {
			t.Errorf("%s: %g, want %g", name, c.got, c.want)
		}
	}
	if one := LossesOf([]float64{.5, .5}, []float64{1, 0}); !math.IsInf(one.Worst(), 1) || one.Delta(9) != .5 {
		t.Errorf("a result that one law cannot give: worst %g, delta %g", one.Worst(), one.Delta(9))
	}
}

// TestClopperPearson: no hit of n leaves 1 − alpha^(1/n) (the rule of three), and the bounds of others
// put exactly alpha into their tails, by the sum of the binomial law.
func TestClopperPearson(t *testing.T) {
	if _, high := ClopperPearson(0, 100, .05); math.Abs(high-(1-math.Pow(.05, .01))) > 1e-12 {
		t.Errorf("no hit: %g", high)
	}
	if low, _ := ClopperPearson(100, 100, .05); math.Abs(low-math.Pow(.05, .01)) > 1e-12 {
		t.Errorf("only hits: %g", low)
	}
	const n, hits, alpha = 60, 17, 1e-4
	low, high := ClopperPearson(hits, n, alpha)
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
