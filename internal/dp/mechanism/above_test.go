package mechanism

import (
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// searchLaw returns the law of search for integer errors: the index of the hit, in the order of the search, and last no
// hit. b is in steps; the sum over the threshold's noise ends where less than 2^-90 is left.
//
//	P(i) = Σ_v P(V = v)·Π_{j<i} P(|e_j| + Z_j < τ + v)·P(|e_i| + Z_i ≥ τ + v)
func searchLaw(gaps []int64, from int, threshold int64, b *big.Rat) law {
	line := dptest.DiscreteLaplace(new(big.Rat).Mul(b, big.NewRat(2, 1)))
	each := dptest.DiscreteLaplace(new(big.Rat).Mul(b, big.NewRat(4, 1)))
	sums := make([]*big.Float, len(gaps)+1)
	for i := range sums {
		sums[i] = high.Of(0)
	}
	for v := -line.Reach(90); v <= line.Reach(90); v++ {
		left := line.At(v).P
		for i := range gaps {
			e := gaps[(from+i)%len(gaps)]
			hit := each.From(threshold + v - max(e, -e))
			sums[i].Add(sums[i], high.Mul(left, hit))
			left = high.Mul(left, high.Sub(high.Of(1), hit))
		}
		sums[len(gaps)].Add(sums[len(gaps)], left)
	}
	all := make(law, len(sums))
	for i, s := range sums {
		all[i] = dptest.MassOf(s)
	}
	return all
}

// TestSearchLoss compares the exact laws of neighbours: the log ratio is at most ε = Δ/b. The errors of seven queries are
// the answers for one record more or less, Δ = 1, which six answer below the model and the last above: they move apart.
func TestSearchLoss(t *testing.T) {
	b := big.NewRat(3, 2)
	grid := epsilonGrid(.1, 14)
	eps := new(big.Rat).Inv(b)
	x := high.Exp(high.Rat(eps))
	tanh := high.Quo(high.Sub(x, high.Of(1)), high.Add(x, high.Of(1))) // of ε/2
	rho, _ := high.Mul(high.Rat(eps), tanh).Rat(nil)
	of := func(n int64) law {
		return searchLaw([]int64{n - 4, n - 4, n - 4, n - 4, n - 4, n - 4, n + 4}, 0, 12, b)
	}
	var worst spent
	for n := range int64(3) {
		p, q := of(n), of(n+1)
		worst.of(lossesOf(p, q, grid), eps, rho, grid)
		worst.of(lossesOf(q, p, grid), eps, rho, grid)
	}
	worst.check(t, "search above a threshold", .5)
}

// TestSearchDraws compares draws of the search, at scales that firstAbove makes of b = 3/2, with the law, and with the law of
// half the noise. False alarms: 1e-6.
func TestSearchDraws(t *testing.T) {
	gaps, b := []int64{0, 4, -9, 1}, big.NewRat(3, 2)
	line := must.Value(noise.NewLaplace(big.NewRat(3, 1)))(t)
	each := must.Value(noise.NewLaplace(big.NewRat(6, 1)))(t)
	src := root(t).Stream("test", 0, [32]byte{})
	seen := make([]int, len(gaps)+1)
	for range 60_000 {
		at := search(gaps, 1, 7, line, each, src)
		if at < 0 {
			seen[len(gaps)]++
		} else {
			seen[(at+len(gaps)-1)%len(gaps)]++
		}
	}
	p := dptest.ChiSquare(seen, searchLaw(gaps, 1, 7, b).probabilities())
	must.Hold(t, p >= dptest.Alarm, "p = %g: %v", p, seen)
	p = dptest.ChiSquare(seen, searchLaw(gaps, 1, 7, big.NewRat(3, 4)).probabilities())
	must.Hold(t, p <= dptest.Alarm, "half the noise fits: p = %g", p)
}

// TestFirstAbove: noise through the curator is the event's: without a model, hits at a threshold of 4b above an
// error of 0, a single one, have the probability of the law. False alarms: 1e-6.
func TestFirstAbove(t *testing.T) {
	w := query.Workload{Sizes: square, Marginals: []query.Marginal{table2([]float64{0, 0, 0, 1})}}
	seen := make([]int, 2)
	const runs = 1000
	g := testGate(t, []int64{3, 0, 7, 0}, zcdp(t, dp.AddRemove))
	event := must.Value(g.ledger.Select(dp.AboveThreshold, 1, dp.ShareOf(1, runs)))(t)
	threshold, _ := new(big.Rat).Mul(event.Scales[0], big.NewRat(4, 1)).Float64()
	for round := range runs {
		cell := must.Value(g.curator().FirstAbove("above", round, w, query.NewAnswers(w), 0, threshold, dp.ShareOf(1, runs)))(t)
		must.Need(t, cell.Sign == 0 && (cell.Marginal == 0 || cell.Marginal == -1), "released %+v", cell)
		seen[-min(0, cell.Marginal)]++
	}
	p := searchLaw([]int64{0}, 0, 40, big.NewRat(10, 1)).probabilities() // b of ten steps, coarse beside 2^-20: off by .001
	v := dptest.ChiSquare(seen, p)
	must.Hold(t, v >= dptest.Alarm, "p = %g: %v, law %v", v, seen, p)
	half := searchLaw([]int64{0}, 0, 80, big.NewRat(10, 1)).probabilities()
	must.Hold(t, dptest.ChiSquare(seen, half) <= dptest.Alarm, "half the noise fits: %v, law %v", seen, half)
}
