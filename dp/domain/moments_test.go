package domain

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestMoments compares with sums over every value of a cell, weighted as the decoder draws them.
func TestMoments(t *testing.T) {
	runs := []Run{{From: 0, Share: .5}, {From: 3, Share: .25}, {From: 9, Share: .25}}
	for name, a := range map[string]Attribute{
		"even":       {Type: Int64, Cuts: []int64{-4, 3, 20}, Resolution: 1},
		"resolution": {Type: Int64, Cuts: []int64{0, 35, 100}, Resolution: 5},
		"runs":       {Type: Int64, Cuts: []int64{10, 14, 30}, Resolution: 1, Runs: runs},
		"decimals":   {Type: Numeric, Scale: 2, Cuts: []int64{100, 250, 400}, Resolution: 10},
		"categories": {Type: Int64, Values: []string{"3", "-7"}},
	} {
		for code := range Code(a.Bins()) {
			weight, first, second := 0.0, 0.0, 0.0
			add := func(v int64, w float64) {
				x := float64(v) / math.Pow(10, float64(a.Scale))
				weight, first, second = weight+w, first+w*x, second+w*x*x
			}
			if lo, hi, _ := a.Ends(code); len(a.Values) > 0 {
				add(lo, 1)
			} else {
				begin, _ := a.span()
				for v := lo; v <= hi; v += a.Resolution {
					w := 1.0
					if d := a.Distribution(); d != nil {
						k := float64(v/a.Resolution - begin)
						w = d.Below(k+1) - d.Below(k)
					}
					add(v, w)
				}
			}
			mean, square, ok := a.Moments(code)
			must.Hold(t, ok && math.Abs(mean-first/weight) <= 1e-9 && math.Abs(square-second/weight) <= 1e-6,
				"%s, cell %d: mean %g, mean square %g, %v; want %g, %g", name, code, mean, square, ok, first/weight, second/weight)
		}
	}
	a := Attribute{Type: Float64, FloatCuts: []float64{0, 3}, Null: true}
	mean, square, ok := a.Moments(0)
	must.Hold(t, ok && math.Abs(mean-1.5) <= 1e-9 && math.Abs(square-3) <= 1e-9, "a range of FLOAT64: %g, %g, %v; want 1.5, 3", mean, square, ok)
	if _, _, ok := a.Moments(1); ok {
		t.Error("NULL has a mean")
	}
}

// TestMomentsOfGreatRanges: ranges of up to all of int64 have the moments of even numbers, at once.
func TestMomentsOfGreatRanges(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	for _, cuts := range [][]int64{{least, most}, {least, 0, most}, {least, least / 3, most / 3, most}, {least, -5, most}, {-1 << 62, 1 << 62}} {
		for _, resolution := range []int64{1, 7, 1 << 40} {
			a := Attribute{Type: Int64, Cuts: cuts, Resolution: resolution}
			for b := range len(cuts) - 1 {
				low, high := float64(cuts[b]), float64(cuts[b+1])
				mean, square, ok := a.Moments(Code(b))
				want, wide := (low+high)/2, (low*low+low*high+high*high)/3
				must.Hold(t, ok && math.Abs(mean-want) <= 1e-6*(high-low) && math.Abs(square-wide) <= 1e-6*wide,
					"cell %d of %d at %d: %g, %g; want %g, %g", b, cuts, resolution, mean, square, want, wide)
			}
		}
	}
}
