package mechanism

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// acceptLaw is the law of the answer at an excess of whole steps: no, then yes. P(x + Z ≤ 0) = P(Z ≥ x), as noise is
// symmetric.
func acceptLaw(x int64, noise *dptest.NoiseLaw) law {
	yes := noise.From(x)
	return law{dptest.MassOf(high.Sub(high.Of(1), yes)), dptest.MassOf(yes)}
}

// TestAcceptLoss compares the exact laws of excesses that are a step apart: a neighbour moves it by no more, see
// TestAcceptChange. False alarms: none, as nothing is drawn.
func TestAcceptLoss(t *testing.T) {
	grid := epsilonGrid(.1, 14)
	for _, c := range []struct {
		name         string
		noise        *dptest.NoiseLaw
		epsilon, rho *big.Rat
		tight        float64
	}{
		{"Gaussian", dptest.DiscreteGaussian(big.NewRat(4, 1)), nil, big.NewRat(1, 8), .5},
		{"Laplace", dptest.DiscreteLaplace(big.NewRat(2, 1)), big.NewRat(1, 2), big.NewRat(1, 8), .5}, // ε²/2
	} {
		var worst spent
		for x := int64(-5); x <= 5; x++ {
			p, q := acceptLaw(x, c.noise), acceptLaw(x+1, c.noise)
			worst.of(lossesOf(p, q, grid), c.epsilon, c.rho, grid)
			worst.of(lossesOf(q, p, grid), c.epsilon, c.rho, grid)
		}
		worst.check(t, c.name+" answer whether a limit is kept", c.tight)
	}
}

// TestAcceptChange: over all tables of up to three records and all their neighbours the excess changes by one count at
// most, and by one somewhere.
func TestAcceptChange(t *testing.T) {
	w, model := small()
	limits := []float64{.7, 0, 1.3}
	l := zcdp(t, dp.AddRemove)
	excess := func(cells [4]int64) int64 {
		g := testGate(t, cells[:], l)
		return g.largestExcess(Request{Workload: w, Model: model, Limits: limits})
	}
	most := int64(0)
	for n := range int64(4 * 4 * 4 * 4) {
		cells := [4]int64{n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6}
		at := excess(cells)
		for to := range cells {
			more := cells
			more[to]++
			most = max(most, excess(more)-at, at-excess(more))
			for from := range cells {
				if other := more; other[from] > 0 {
					other[from]--
					most = max(most, excess(other)-at, at-excess(other))
				}
			}
		}
	}
	must.Hold(t, most == 1<<accountant.ScoreGridBits, "neighbours move the excess by %d steps of 2^-20, want %d", most, 1<<accountant.ScoreGridBits)
}

// TestAcceptDraws: answers through the curator have the law of their event, and half the noise does not. False alarms: 1e-6
// in each case.
func TestAcceptDraws(t *testing.T) {
	const runs = 2000
	w, model := small()
	for i := range model {
		copy(model[i], table{square, []int64{3, 0, 7, 1}}.floats(w.Marginals[i].Clique))
	}
	model[1][0] -= 90 // beyond its limit by 30
	model[2][2] += 50 // within
	limits := []float64{0, 60, 55}
	for _, l := range []*accountant.Ledger{zcdp(t, dp.AddRemove), pure(t, dp.AddRemove)} {
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		seen := make([]int, 2)
		for run := range runs {
			yes := must.Value(g.curator().Accept(fmt.Sprint("accept", run), w, model, limits, dp.ShareOf(1, runs)))(t)
			if yes {
				seen[1]++
			} else {
				seen[0]++
			}
		}
		scale := l.Events()[0].Scales[0]
		of := func(scale *big.Rat) *dptest.NoiseLaw { return dptest.DiscreteLaplace(scale) }
		part := big.NewRat(1, 2)
		if l.Params().Accounting != dp.Pure {
			of, part = dptest.DiscreteGaussian, big.NewRat(1, 4)
		}
		if v := dptest.ChiSquare(seen, acceptLaw(30, of(scale)).probabilities()); v < dptest.Alarm {
			t.Errorf("%v: p = %g: %v", l.Params().Accounting, v, seen)
		}
		if v := dptest.ChiSquare(seen, acceptLaw(30, of(new(big.Rat).Mul(scale, part))).probabilities()); v > dptest.Alarm {
			t.Errorf("%v: half the noise fits: p = %g: %v", l.Params().Accounting, v, seen)
		}
	}
}

// TestAcceptRefuses limits that are no counts, before anything is charged.
func TestAcceptRefuses(t *testing.T) {
	w, model := small()
	l := zcdp(t, dp.AddRemove)
	for _, limits := range [][]float64{{1, -1, 0}, {1, 2, 1 << 41}} {
		must.Fails(testGate(t, []int64{1, 2, 3, 4}, l).curator().Accept("accept", w, model, limits, dp.ShareOf(1, 2)))(t, "", "limits %v admitted", limits)
	}
	must.Hold(t, len(l.Events()) <= 0, "a refused request was charged")
}
