package main

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
)

// The share of the people that a group has.
const leastGroup, mostGroup = .005, .05

// worstGroup returns the largest mean total variation of the one-ways inside a group, of rows against the table. A group is the
// people with one value of a column; one that has no row is off by 1. 0: there is no group.
func worstGroup(t, rows *families.Table) float64 {
	worst := 0.0
	for a := range t.Sizes {
		for v, n := range t.Marginal(domain.Clique{a}) {
			if part := float64(n) / float64(t.Units()); part >= leastGroup && part <= mostGroup {
				worst = max(worst, groupTV(t, rows, a, v))
			}
		}
	}
	return worst
}

// groupTV returns the mean total variation of the other columns among those who have value v of column a.
func groupTV(t, rows *families.Table, a, v int) float64 {
	here, there := float64(t.Marginal(domain.Clique{a})[v]), float64(rows.Marginal(domain.Clique{a})[v])
	if there == 0 {
		return 1
	}
	sum := 0.0
	for b, k := range t.Sizes {
		c, first, step := domain.Clique{a, b}, v*k, 1
		if b < a {
			c, first, step = domain.Clique{b, a}, v, t.Sizes[a]
		}
		if a == b {
			continue
		}
		x, y := t.Marginal(c), rows.Marginal(c)
		for i := range k {
			cell := first + i*step
			sum += math.Abs(float64(x[cell])/here-float64(y[cell])/there) / 2
		}
	}
	return sum / float64(len(t.Sizes)-1)
}
