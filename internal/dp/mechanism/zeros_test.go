package mechanism

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestTrailingZeros releases a count of 0 and a count of 1 100,000 times each and compares how many low
// bits of the float64 are zero: noise added in floating point shows the count there (Haney et al. 2022).
// Both follow the law of a whole number plus whole noise. χ², alarm 1e-6 per case; draws whose last bit is
// always zero are told apart.
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
		var event accountant.Event
		for count := range seen {
			g := testGate(t, []int64{int64(count), 0, 0, 0}, l)
			run, open := 0, g.open
			g.open = func(stage string, round int, inputs [32]byte) noise.Source {
				return open(fmt.Sprint(stage, run), round, inputs)
			}
			p := must.Value(g.plan(Request{Method: Measure, Stage: "s", Cliques: []domain.Clique{{}}, Share: dp.ShareOf(1, 1)}))(t)
			event, seen[count] = p.event, make([]int, 16)
			for ; run < draws; run++ {
				seen[count][zeros(p.draw().Measurements[0].Values[0], event.GridBits)]++
			}
		}
		for count, s := range seen {
			v := dptest.ChiSquare(s, zerosLaw(event, int64(count)))
			must.Hold(t, v >= dptest.Alarm, "%s: trailing zeros of count %d: p = %g: %v", name, count, v, s)
		}
		even := append([]int(nil), seen[0]...) // what a count of 0 plus noise on a coarser grid would show
		even[1], even[0] = even[1]+even[0], 0
		v := dptest.ChiSquare(even, zerosLaw(event, 0))
		must.Hold(t, v <= dptest.Alarm, "%s: a missing bit is not found: p = %g", name, v)
	}
}

// zerosLaw is the law of zeros for an integer plus the event's noise. On the fine grid of GDP, where noise
// has a standard deviation of 2^26 steps, each further zero halves the probability.
func zerosLaw(e accountant.Event, count int64) []float64 {
	law := make([]float64, 16)
	if e.GridBits > 0 {
		for i := range law {
			law[i] = math.Ldexp(1, -min(i, 14)-1)
		}
		return law
	}
	pmf, reach := pmfOf(e, e.Scales[0])
	for y := -reach; y <= reach; y++ {
		law[zeros(float64(count)+y, 0)] += pmf(y)
	}
	return law
}

// zeros counts the trailing zeros of a multiple of 2^-gridBits, up to 15.
func zeros(x float64, gridBits int) (n int) {
	for steps := int64(math.Ldexp(x, gridBits)); n < 15 && steps&1 == 0; steps >>= 1 {
		n++
	}
	return n
}
