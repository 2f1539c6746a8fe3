package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSmoothTable: noise between the cells of a band goes and the band stays; NULL has no neighbours; the order of codes
// is of no account. Over 100 seeds the error was .43 to .53 of the noise.
func TestSmoothTable(t *testing.T) {
	const k, sigma = 20, 10.
	rng := rand.New(rand.NewPCG(1, 2))
	order := rng.Perm(k)
	truth, noisy := make([]float64, k*(k+1)), make([]float64, k*(k+1))
	for a := range k {
		for b := range k {
			if d := a - b; d*d <= 1 {
				truth[order[a]*(k+1)+order[b]] = 500
			}
		}
		truth[a*(k+1)+k] = 40 * float64(a%2)
	}
	for i, x := range truth {
		noisy[i] = x + sigma*rng.NormFloat64()
	}
	axes := []axis{{0, order}, {1, order}}
	got, left := smoothTable(noisy, []int{k, k + 1}, axes, sigma)
	off, far, near := 0.0, 0.0, 0.0
	for a := range k {
		for b := range k {
			i := order[a]*(k+1) + order[b]
			off += (got[i] - truth[i]) * (got[i] - truth[i]) / (k * k * sigma * sigma)
			switch d := a - b; {
			case d*d <= 1:
				near = max(near, math.Abs(got[i]-noisy[i]))
			case d*d > 64:
				far += left[i] / 132 // cells so far from the band
			}
		}
		if i := a*(k+1) + k; got[i] != noisy[i] || left[i] != 1 {
			t.Fatalf("NULL beside value %d: %g of %g, %g of the noise left", a, got[i], noisy[i], left[i])
		}
	}
	if off = math.Sqrt(off); off > .6 || far > .5 || near > 4*sigma {
		t.Errorf("error %.2f of the noise, %.2f of it left far from the band, cells of the band moved by %.0f", off, far, near)
	}
	if same, _ := smoothTable(noisy, []int{k, k + 1}, nil, sigma); !slices.Equal(same, noisy) {
		t.Error("a table without order was changed")
	}
}
