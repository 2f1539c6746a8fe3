package rake

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
)

// TestCost holds the estimates within a factor of two of what was measured.
func TestCost(t *testing.T) {
	adult7 := []int{2, 2, 5, 7, 10, 15, 16}
	adult14 := []int{2, 2, 5, 6, 7, 9, 15, 16, 42, 85, 99, 100, 99, 94}
	for name, c := range map[string]struct {
		sizes   []int
		seconds float64
	}{
		"336,000 cells": {adult7, .45},
		"14 columns":    {adult14, 1.8},
		"56 columns":    {slices.Repeat(adult14, 4), 21},
	} {
		p := problem(c.sizes, 3, dp.AddRemove)
		bytes, seconds := Cost(p)
		if seconds < c.seconds/2 || seconds > 2*c.seconds {
			t.Errorf("%s: %g s, measured %g", name, seconds, c.seconds)
		}
		if bytes < 1e6 || bytes > 1e9 {
			t.Errorf("%s: %g bytes", name, bytes)
		}
	}
}
