package mechanism

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/dptest"
	"github.com/dapple-dp/dapple/dp/noise"
)

// TestTrailingZeros releases a count of 0 and a count of 1 100,000 times each and compares how many low
// bits of the float64 are zero: noise added in floating point shows the count there (Haney et al. 2022).
// Both follow the law of the noise alone. χ², alarm 1e-6 per case; draws whose last bit
// is always zero are told apart.
func TestTrailingZeros(t *testing.T) {
	draws := 100_000
	if testing.Short() {
		draws = 20_000
	}
	for name, l := range map[string]*accountant.Ledger{
		"zCDP": ledger(t, accountant.Params{Epsilon: .1, Delta: 1e-6}),
		"pure": ledger(t, accountant.Params{Epsilon: .01, Accounting: dp.Pure}),
		"GDP":  ledger(t, accountant.Params{Epsilon: .1, Delta: 1e-6, Accounting: dp.GaussianOnly, Coordinates: 10}),
	} {
		var seen [2][]int
		grid := 0
		for count := range seen {
			g := testGate(t, []int64{int64(count), 0, 0, 0}, l)
			run, open := 0, g.open
			g.open = func(stage string, round int, inputs [32]byte) noise.Source {
				return open(fmt.Sprint(stage, run), round, inputs)
			}
			p, err := g.plan(Request{Method: Measure, Stage: "s", Cliques: []domain.Clique{{}}, Share: dp.ShareOf(1, 1)})
			if err != nil {
				t.Fatal(err)
			}
			grid, seen[count] = p.event.GridBits, make([]int, 16)
			for ; run < draws; run++ {
				seen[count][zeros(p.draw().Measurements[0].Values[0], grid)]++
			}
		}
		law := make([]float64, 16) // of a wide noise: each further zero halves the probability
		for i := range law {
			law[i] = math.Ldexp(1, -min(i, 14)-1)
		}
		for count, s := range seen {
			if v := dptest.ChiSquare(s, law); v < dptest.Alarm {
				t.Errorf("%s: trailing zeros of count %d: p = %g: %v", name, count, v, s)
			}
		}
		even := append([]int(nil), seen[0]...) // what a count of 0 plus noise on a coarser grid would show
		even[1], even[0] = even[1]+even[0], 0
		if v := dptest.ChiSquare(even, law); v > dptest.Alarm {
			t.Errorf("%s: a missing bit is not found: p = %g", name, v)
		}
	}
}

// zeros counts the trailing zeros of a multiple of 2^-gridBits, up to 15.
func zeros(x float64, gridBits int) (n int) {
	for steps := int64(math.Ldexp(x, gridBits)); n < 15 && steps&1 == 0; steps >>= 1 {
		n++
	}
	return n
}
