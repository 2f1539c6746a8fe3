package fit

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
)

// TestRidge: where base and residual agree the ridge is noise variance × base / prior variance, and
// where the datum is far above, the ridge falls.
func TestRidge(t *testing.T) {
	c := &choose.Candidate{Base: []float64{100, 1, 1}}
	lower, u := []float64{100, 1, 1}, .01
	quiet := ridge(c.Base, []float64{0, 0, 0}, lower, u, .1)
	loud := ridge(c.Base, []float64{0, 0, 90}, lower, u, .1)
	scale := .1 * 102 / (math.Pow(100, .75) + 2)
	if want := 100 * 100 / (scale * scale * 1000); math.Abs(quiet[0]-want) > 1e-6*want {
		t.Errorf("ridge %g, want %g", quiet[0], want)
	}
	if quiet[1] != loud[1] || loud[2] > quiet[2]/10 {
		t.Errorf("ridges %v without and %v with an outlier", quiet, loud)
	}
}
