package population

import (
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Nearest returns the point of {p ≥ 0, Σp = total} nearest to y.
//
// Source: Held, Wolfe, Crowder 1974 (soft threshold by sorting).
func Nearest(y []float64, total float64) []float64 {
	sorted := slices.Clone(y)
	slices.Sort(sorted)
	sum, threshold := 0.0, 0.0
	for i := range sorted {
		x := sorted[len(sorted)-1-i]
		sum += x
		if t := (sum - total) / float64(i+1); x > t {
			threshold = t
		}
	}
	return lists.Of(y, func(x float64) float64 { return max(x-threshold, 0) })
}
