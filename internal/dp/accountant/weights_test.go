package accountant

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestNoiseIsAsFineAsWeights: of every kind of ledger, whatever the share, noise on tables is a multiple of a step no wider
// than the weights' grid, so that it covers every count; the loss is within the share, and the variance is the same without weights.
func TestNoiseIsAsFineAsWeights(t *testing.T) {
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure, dp.GaussianOnly} {
		p := Params{Accounting: kind, Epsilon: 1, Delta: 1e-6, Coordinates: 1000}
		if kind == dp.Pure {
			p.Delta = 0
		}
		var ledgers [2]*Ledger
		for i, bits := range []int{0, 12} {
			var err error
			p.WeightBits = bits
			ledgers[i], err = NewLedger(p)
			must.Do(t, err)
		}
		for _, den := range []int64{1, 1000, 1 << 33} {
			share := dp.ShareOf(1, den)
			plain := must.Value(ledgers[0].Measure(Equal(2, 10), share))(t)
			fine := must.Value(ledgers[1].Measure(Equal(2, 10), share))(t)
			loss, err := fine.Loss(kind)
			part, partErr := ledgers[1].part(share)
			must.Hold(t, err == nil && partErr == nil && loss.Cmp(part) <= 0, "%v, 1/%d: loss %v of %v, %v %v", kind, den, loss, part, err, partErr)
			if fine.GridBits < 12 || math.Abs(fine.Variance(0)/plain.Variance(0)-1) > 0.2/plain.Variance(0) {
				t.Errorf("%v, 1/%d: grid 2^-%d, variance %g, without weights %g", kind, den, fine.GridBits, fine.Variance(0), plain.Variance(0))
			}
			if kind == dp.Pure {
				continue
			}
			scores, err := ledgers[1].Scores(3, share)
			must.Hold(t, err == nil && scores.GridBits >= 12, "%v, 1/%d: scores on the grid 2^-%d, %v", kind, den, scores.GridBits, err)
		}
	}
	must.Fail(t, (Params{Epsilon: 1, Delta: 1e-6, WeightBits: 17}).Validate(), "", "weights finer than scores are accepted")
}
