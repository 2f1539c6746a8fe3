package dpam

import (
	"math"
	"testing"
)

// A fit whose speeds are exactly as the forecast supposes is foretold from the tenth step on: 9 % too late, since the speeds are
// the ones of a while ago. Once no step is better, the rule that ends a fit is all that counts.
func TestOutlook(t *testing.T) {
	const freedoms, limit = 40., 600
	for _, best := range []int{30, 100, 300} {
		var o outlook
		for step := 1; step < best; step++ {
			ratio := math.Pow(float64(best)/float64(step), approachPower)
			freedom := freedoms * math.Log(float64(step))
			o.add(2*freedoms*ratio/approachPower+2*freedom, freedom)
			got, want := o.steps(step, limit), float64(endAfter(best))
			switch {
			case step < foretold && got != 0:
				t.Fatalf("step %d: foretold %d", step, got)
			case step >= foretold && (float64(got) < .95*want || float64(got) > 1.2*want+1):
				t.Errorf("step %d: foretold %d, want about %g", step, got, want)
			}
		}
		if got, want := o.steps(best-patience, limit), max(best, endAfter(best-patience)); got != want {
			t.Errorf("without a better step since %d: foretold %d, want %d", best-patience, got, want)
		}
		if got := o.steps(best-1, best+2); got != best+2 {
			t.Errorf("foretold %d of at most %d steps", got, best+2)
		}
	}
}
