package mechanism

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestNumbersAreNoisy compares 20,000 totals and certificates with the law of their event: χ², alarm 1e-6
// per case; noise of four fifths of the scale must not fit.
func TestNumbersAreNoisy(t *testing.T) {
	w, model := small()
	for i := range model {
		copy(model[i], table{square, []int64{3, 0, 7, 1}}.floats(w.Marginals[i].Clique))
	}
	model[2][2] -= 5 // the largest error is 5
	for _, l := range []func(testing.TB, dp.Neighbouring) *accountant.Ledger{zcdp, pure} {
		g := testGate(t, []int64{3, 0, 7, 1}, l(t, dp.AddRemove))
		for truth, r := range map[float64]Request{
			11: {Method: Total, Stage: "total", Share: dp.ShareOf(1, 20)},
			5:  {Method: MaxError, Stage: "max", Workload: w, Model: model, Share: dp.ShareOf(1, 20)},
		} {
			run, open := 0, g.open
			g.open = func(stage string, round int, inputs [32]byte) noise.Source {
				return open(fmt.Sprint(stage, run), round, inputs)
			}
			p := must.Value(g.plan(r))(t)
			pmf, reach := pmfOf(p.event, p.event.Scales[0])
			seen, law, narrow := make([]int, 2*int(reach)+1), make([]float64, 2*int(reach)+1), make([]float64, 2*int(reach)+1)
			for y := -2 * reach; y <= 2*reach; y++ {
				law[int(max(-reach, min(reach, y))+reach)] += pmf(y)
				narrow[int(math.Round(max(-reach, min(reach, .8*y))+reach))] += pmf(y)
			}
			for ; run < 20_000; run++ {
				release := p.draw()
				y := release.Total.Units + release.MaxError.Counts - truth
				seen[int(max(-reach, min(reach, y))+reach)]++
			}
			v := dptest.ChiSquare(seen, law)
			must.Hold(t, v >= dptest.Alarm, "%s: p = %g", r.Method, v)
			v = dptest.ChiSquare(seen, narrow)
			must.Hold(t, v <= dptest.Alarm, "%s: fits less noise: p = %g", r.Method, v)
			g.open = open
		}
	}
}
