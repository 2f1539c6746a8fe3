package baseline

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Shares fall, sum to 1 and have the entropy that Effective states, whatever the number of values.
func TestShares(t *testing.T) {
	for _, k := range []int{1, 2, 3, 17, 100, 1000} {
		for i := range 2 * len(evenness) {
			shares, sum := Shares(k, i), 0.0
			for _, p := range shares {
				sum += p
			}
			must.Need(t, len(shares) == k && math.Abs(sum-1) <= 1e-12 && slices.IsSortedFunc(shares, func(a, b float64) int { return -compare(a, b) }),
				"%d values of column %d: %g", k, i, shares)
			got, want := math.Exp(entropy(shares)), Effective(k, i)
			must.Hold(t, math.Abs(got/want-1) <= 1e-3, "%d values of column %d: effectively %.4f, want %.4f", k, i, got, want)
		}
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Distances are between two tables, none with a column of one value, and spread around what they are on average.
func TestPairDistance(t *testing.T) {
	mean := 0.0
	for i := range len(spread) {
		d := PairDistance(1, 50, i)
		must.Hold(t, d == 0, "a column of one value is %g from independence", d)
		if d := PairDistance(1e9, 1e9, i); !(d > 0 && d < 2) {
			t.Errorf("distance %g", d)
		}
		mean += PairDistance(9, 30, i) / float64(len(spread))
	}
	want := pairStrength * 8 / 9 * math.Pow(9, pairPower)
	must.Hold(t, math.Abs(mean/want-1) <= .01, "mean distance %.4f, want %.4f", mean, want)
}
