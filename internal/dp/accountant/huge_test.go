package accountant

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestHugeSensitivities: losses are exact where products of sensitivities and counts leave an int64.
func TestHugeSensitivities(t *testing.T) {
	const most = math.MaxInt64
	one := []*big.Rat{big.NewRat(1, 1)}
	for name, c := range map[string]struct {
		event Event
		kind  dp.Accounting
		want  *big.Rat // of one draw
	}{
		"Gaussian":  {Event{Kind: dp.DiscreteGaussian, L2Squared: most, Coordinates: 1, Scales: one}, dp.ZCDP, big.NewRat(most, 2)},
		"Laplace":   {Event{Kind: dp.DiscreteLaplace, L1: most, Coordinates: 1, Scales: one}, dp.Pure, big.NewRat(most, 1)},
		"selection": {Event{Kind: dp.Exponential, Range: most, Scales: one}, dp.ZCDP, new(big.Rat).Mul(big.NewRat(most, 8), big.NewRat(most, 1))},
	} {
		e := c.event.Times(math.MaxInt32)
		loss, err := e.Loss(c.kind)
		must.Hold(t, err == nil && loss.Cmp(c.want) == 0, "%s: loss %v, %v, want %v", name, loss, err, c.want)
		total := e.total(c.kind)
		must.Hold(t, total.Cmp(times(c.want, math.MaxInt32)) == 0, "%s: %v in all", name, total)
		l := open(t, c.kind, 1)
		must.Fail(t, l.Charge(e.At("s", 1)), "", "%s: admitted", name)
	}
}
