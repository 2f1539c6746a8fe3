package dptest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestUpperGamma(t *testing.T) {
	// Tables of chi-square quantiles (NIST handbook 1.3.6.7.4) and the exponential law.
	for _, c := range []struct{ df, x, want float64 }{
		{1, 10.828, .001}, {10, 29.588, .001}, {100, 149.449, .001}, {10, 2.558, .99}, {2, 27.631021, 1e-6},
	} {
		got := mathext.GammaIncRegComp(c.df/2, c.x/2)
		must.Hold(t, math.Abs(got/c.want-1) <= 2e-3, "df %g: P(χ² > %g) = %g, want %g", c.df, c.x, got, c.want)
	}
}

func TestChiSquareSeesBias(t *testing.T) {
	fair := []float64{.25, .25, .25, .25}
	p := ChiSquare([]int{2510, 2490, 2520, 2480}, fair)
	must.Hold(t, p >= .1, "fair counts: p = %g", p)
	p = ChiSquare([]int{2700, 2300, 2500, 2500}, fair)
	must.Hold(t, p <= Alarm, "biased counts: p = %g", p)
}

func TestTables(t *testing.T) {
	must.Equal(t, len(Tables(4, 3)), 1+4+10+20, "tables") // multisets of at most 3 of 4 cells
	table := []int64{2, 0, 1}
	must.Equal(t, len(Neighbours(dp.AddRemove, table)), 3+2, "neighbours under AddRemove")
	must.Equal(t, len(Neighbours(dp.Replace, table)), 2*2, "neighbours under Replace")
}

// failures notes whether a helper failed the test.
type failures struct {
	testing.TB
	failed bool
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.failed = true }

var kept []byte

// TestWithinMemory: code that always takes too much fails; where others allocated during the first runs, it
// is the run without them that counts.
func TestWithinMemory(t *testing.T) {
	const much, little = 1 << 20, 1 << 10
	for name, c := range map[string]struct {
		others int // runs during which somebody else allocates
		takes  int
		fails  bool
	}{
		"alone":          {0, little, false},
		"others at work": {3, little, false},
		"too much":       {0, much, true},
	} {
		f, runs := &failures{TB: t}, 0
		WithinMemory(f, much/2, func() {
			kept = make([]byte, c.takes)
			if runs++; runs <= c.others {
				kept = make([]byte, much)
			}
		})
		must.Hold(t, f.failed == c.fails, "%s: failed %v after %d runs", name, f.failed, runs)
	}
}
