package summation

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// All sums against 200 bits, where the naive one is off by far more.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 5, 255, 256, 257, 4095, 4097, 100_003} {
		x := make([]float64, n)
		exact, largest := new(big.Float).SetPrec(200), 0.0
		var c Compensated
		for i := range x {
			x[i] = math.Exp(20 * rng.NormFloat64())
			largest += x[i]
			exact.Add(exact, big.NewFloat(x[i]))
			c.Add(x[i])
		}
		want, _ := exact.Float64()
		// Half a unit in the last place for the compensated sum; a rounding step for each of at most
		// 4,096/4 + 17 additions on the way of a term through the longest runs.
		for name, got := range map[string]struct{ sum, steps float64 }{
			"compensated": {c.Sum(), 2}, "pairwise": {Pairwise(x), 150}, "long": {Long(x), 1100},
		} {
			must.Hold(t, math.Abs(got.sum-want) <= got.steps*0x1p-53*largest, "%d numbers, %s: %g, want %g", n, name, got.sum, want)
		}
	}
	var c Compensated
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		c.Add(x)
	}
	must.Hold(t, c.Sum() == 2, "1 + 1e100 + 1 − 1e100 = %g", c.Sum())
}
