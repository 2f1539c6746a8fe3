package bisect

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The two ends are neighbours, and the condition changes between them.
func TestBorder(t *testing.T) {
	for _, at := range []float64{1e-300, 0.1, 1, math.Pi, 1e15} {
		below, above := Border(0, 2e15, func(x float64) bool { return x >= at })
		must.Hold(t, above == at && math.Nextafter(below, math.Inf(1)) == above, "%g: the border is between %g and %g", at, below, above)
	}
}

// The border lies between the ends, (high−low)/2^n apart.
func TestSteps(t *testing.T) {
	for _, n := range []int{0, 1, 10, 40} {
		below, above := Steps(-3, 5, n, func(x float64) bool { return x > math.E })
		must.Hold(t, below <= math.E && math.E < above && math.Abs(above-below-math.Ldexp(8, -n)) <= 1e-14, "after %d steps: %g and %g", n, below, above)
	}
}

// A guess, whatever it is, does not change the answer; a right one asks twice.
func TestNear(t *testing.T) {
	for want := int64(1); want <= 100; want++ {
		for _, guess := range []int64{math.MinInt64, -1, 0, 1, want - 1, want, want + 1, 50, 99, 100, 101, math.MaxInt64} {
			asked := 0
			got := Near(0, 100, guess, func(n int64) bool { asked++; return n >= want })
			must.Hold(t, got == want && (guess != want || want >= 100 || asked <= 2), "guess %d: got %d, want %d; asked %d times", guess, got, want, asked)
		}
	}
	const last = math.MaxInt64
	must.Equal(t, Near(0, last, last-5, func(n int64) bool { return n >= last-1 }), last-1, "at the end of int64")
}

func TestInt(t *testing.T) {
	for want := int64(1); want <= 100; want++ {
		must.Equal(t, Int(0, 100, func(n int64) bool { return n >= want }), want)
	}
	must.Equal(t, Int(math.MaxInt64-3, math.MaxInt64, func(n int64) bool { return n >= math.MaxInt64-1 }), math.MaxInt64-1, "at the end of int64")
}
