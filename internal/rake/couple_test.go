package rake

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// TestStrengths: of two normal scores with correlation ρ the local log odds ratio is ρ/(1 − ρ²), in either direction.
func TestStrengths(t *testing.T) {
	const n, k = 4000, 20
	runs, starts := []domain.Run{}, []int{}
	for v := range n {
		runs = append(runs, domain.Run{From: v, Share: 1. / n})
	}
	for b := range k {
		starts = append(starts, b*n/k)
	}
	x := newLearnedColumn(&domain.LearnedBins{Starts: starts, Runs: runs}, n)
	for _, rho := range []float64{.3, .7, -.7, .9} {
		table, sd := make([]float64, k*k), math.Sqrt(1-rho*rho)
		const fine = 50 // points of the leader in each bin
		for a := range k {
			for i := range fine {
				z := score((float64(a) + (float64(i)+.5)/fine) / k)
				below := 0.0
				for b := range k {
					up := 1.
					if b < k-1 {
						up = math.Erfc((rho*z-x.ends[b+1])/sd/math.Sqrt2) / 2
					}
					table[a*k+b] += (up - below) / (k * fine)
					below = up
				}
			}
		}
		want := rho / (1 - rho*rho)
		for a, s := range strengths(table, x, x)[3 : k-3] {
			if got := s / x.width(a+3); math.Abs(got/want-1) > .35 {
				t.Errorf("correlation %g, bin %d: %.2f, want %.2f", rho, a+3, got, want)
			}
		}
		// Each cell adds its strength over 6 or so of the variance in it, which is 1/400 of all on even values.
		if adds := added(table, x, x); adds < .05*math.Abs(rho)/400/6 || adds > 1./400 {
			t.Errorf("correlation %g: the coupling adds %g", rho, adds)
		}
	}
}
