package mechanism

import (
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestVotesSensitivity finds the change of the votes between all neighbours of tables of up to three records, for all ways
// in which four cells can choose among three candidates: its squares, and its absolute values, add up to what the event says.
func TestVotesSensitivity(t *testing.T) {
	for _, n := range relations {
		most := int64(0)
		for way := range 3 * 3 * 3 * 3 {
			choice := []int32{int32(way % 3), int32(way / 3 % 3), int32(way / 9 % 3), int32(way / 27)}
			pairs(n, func(x, y []int64) {
				sum, b := int64(0), ballots(choice, 3, y)
				for i, v := range ballots(choice, 3, x) {
					sum += (v - b[i]) * (v - b[i])
				}
				most = max(most, sum)
			})
		}
		for _, l := range []*accountant.Ledger{zcdp(t, n), pure(t, n), gdp(t, n)} {
			g := testGate(t, []int64{3, 0, 7, 1}, l)
			must.Value(g.curator().Votes("votes", 1, []int32{0, 1, 1, 2}, 3, dp.ShareOf(1, 2)))(t)
			if e := l.Events()[0]; int64(e.L1)+int64(e.L2Squared) != most || e.Coordinates != 3 {
				t.Errorf("%v %v: the votes change by %d, the event says %d for %d numbers", n, e.Kind, most, int64(e.L1)+int64(e.L2Squared), e.Coordinates)
			}
		}
	}
}

// TestVotesDraws: released votes are the true ones plus noise of the law of their event, while noise of half the variance
// has not. False alarms: 1e-6 in each case.
func TestVotesDraws(t *testing.T) {
	const runs = 1500
	for _, l := range []*accountant.Ledger{zcdp(t, dp.AddRemove), pure(t, dp.AddRemove)} {
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		var seen [2]int // within half a standard deviation, and not
		var law *dptest.NoiseLaw
		var half int64
		for run := range runs {
			m := must.Value(release(g, run))(t)
			if law == nil {
				scale := l.Events()[0].Scales[0]
				law = dptest.DiscreteLaplace(scale)
				if l.Params().Accounting != dp.Pure {
					law = dptest.DiscreteGaussian(scale)
				}
				for half = 1; ; half++ {
					if p, _ := law.From(half).Float64(); p < .3 {
						break
					}
				}
			}
			for i, truth := range []float64{3, 7, 1} {
				at := 1
				if d := m[i] - truth; d < float64(half) && d > -float64(half) {
					at = 0
				}
				seen[at]++
			}
		}
		outside := func(law *dptest.NoiseLaw) []float64 {
			p, _ := law.From(half).Float64()
			return []float64{1 - 2*p, 2 * p}
		}
		if v := dptest.ChiSquare(seen[:], outside(law)); v < dptest.Alarm {
			t.Errorf("%v: p = %g: %v", l.Params().Accounting, v, seen)
		}
		less := new(big.Rat).Mul(l.Events()[0].Scales[0], big.NewRat(1, 2))
		other := dptest.DiscreteLaplace(less)
		if l.Params().Accounting != dp.Pure {
			other = dptest.DiscreteGaussian(less)
		}
		if v := dptest.ChiSquare(seen[:], outside(other)); v > dptest.Alarm {
			t.Errorf("%v: half the noise fits: p = %g: %v", l.Params().Accounting, v, seen)
		}
	}
}

func release(g *gate, run int) ([]float64, error) {
	m, err := g.curator().Votes("votes", run, []int32{0, 1, 1, 2}, 3, dp.ShareOf(1, 1500))
	return m.Values, err
}
