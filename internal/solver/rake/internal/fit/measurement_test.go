package fit

import (
	"math"
	"testing"
)

// TestRidge: the ridge is noise variance × base / prior variance.
func TestRidge(t *testing.T) {
	got := ridge([]float64{100, 1, 1}, .01, .1)
	scale := .1 * 102 / (math.Pow(100, .75) + 2)
	if want := 100 * 100 / (scale * scale * 1000); math.Abs(got[0]-want) > 1e-6*want {
		t.Errorf("ridge %g, want %g", got[0], want)
	}
}
