// Package summation adds many numbers with little error and always in the same order, so that equal inputs have
// sums that are equal bit for bit: releases must repeat. gonum's floats.Sum does not promise its order.
package summation

import "math"

// Compensated is Neumaier's sum: its error does not grow with the number of terms. The zero value is 0.
//
// Source: Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen".
type Compensated struct{ total, lost float64 }

// Add adds x.
func (c *Compensated) Add(x float64) {
	t := c.total + x
	if math.Abs(c.total) >= math.Abs(x) {
		c.lost += (c.total - t) + x
	} else {
		c.lost += (x - t) + c.total
	}
	c.total = t
}

// Sum returns the sum so far.
func (c *Compensated) Sum() float64 { return c.total + c.lost }

// InOrder adds the numbers of x from the first on.
func InOrder[T int | int64 | float64](x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// Pairwise adds x in halves down to runs of at most 256: error of order log(len(x)) rounding steps.
func Pairwise(x []float64) float64 {
	if len(x) > 256 {
		return Pairwise(x[:len(x)/2]) + Pairwise(x[len(x)/2:])
	}
	var s, t float64
	for len(x) >= 2 {
		s += x[0]
		t += x[1]
		x = x[2:]
	}
	if len(x) == 1 {
		s += x[0]
	}
	return s + t
}

// maxRun is the longest run of Long: its four parts fit the first-level cache.
const maxRun = 4096

// Long is Pairwise for the cells of a universe: runs of at most 4,096, each as four interleaved sums, which a
// processor adds at once.
func Long(x []float64) float64 {
	if len(x) > maxRun {
		h := len(x) / 2
		return Long(x[:h]) + Long(x[h:])
	}
	var a, b, c, d float64
	for len(x) >= 4 {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		x = x[4:]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}
