package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// sumOf returns the statistic of MeanDistance on some counts of the 2×2 universe.
func sumOf(g *gate, w query.Workload, model query.Answers) int64 {
	return g.sumOfDistances(Request{Workload: w, Model: model})
}

// modelsBeside calls visit with models that lie in many ways beside the counts of small tables.
func modelsBeside(w query.Workload, most float64, visit func(query.Answers)) {
	rng := rand.New(rand.NewPCG(47, 48))
	for range 20 {
		model := query.NewAnswers(w)
		for i := range model {
			for c := range model[i] {
				model[i][c] = (most+2)*rng.Float64() - 1
			}
		}
		visit(model)
	}
	visit(query.NewAnswers(w)) // all distances move with the counts
}

// TestMeanDistanceChange: over all neighbouring tables of the 2×2 universe, for models of every kind, the sum of distances
// changes by at most what is declared, and attains it; units of several rows with weights are neighbours, too.
func TestMeanDistanceChange(t *testing.T) {
	w, _ := small()
	for _, n := range relations {
		declared := int64(query.SumOfDistancesChange(n, len(w.Marginals)))
		most := int64(0)
		l := zcdp(t, n)
		change := func(model query.Answers, x, y *gate) { most = max(most, sumOf(y, w, model)-sumOf(x, w, model)) }
		modelsBeside(w, 3, func(model query.Answers) {
			pairs(n, func(x, y []int64) { change(model, testGate(t, x, l), testGate(t, y, l)) })
		})
		if n == dp.Replace { // a record leaves cells of counts above the model for cells below it, in every marginal
			model := query.Answers{{0, 9}, {0, 9}, {0, 0, 0, 9}}
			change(model, testGate(t, []int64{0, 0, 0, 1}, l), testGate(t, []int64{1, 0, 0, 0}, l))
		}
		must.Hold(t, most == declared, "%v: the sum of distances changes by %d at most, declared %d", n, most, declared)
		const bits = 2
		most = 0
		weights := weightedLedger(t, n, dp.ZCDP, bits)
		modelsBeside(w, 1, func(model query.Answers) {
			mixedPairs(n, bits, func(x, y []int64) {
				change(model, weightedGate(t, x, weights), weightedGate(t, y, weights))
			})
		})
		must.Hold(t, most <= declared && most >= declared-1, "%v: with weights the sum of distances changes by %d at most, declared %d", n, most, declared)
	}
}

// TestMeanDistanceSum compares the sum with the definition in fractions, also for counts in steps of weights.
func TestMeanDistanceSum(t *testing.T) {
	w, _ := small()
	rng := rand.New(rand.NewPCG(49, 50))
	for _, bits := range []int{0, 12} {
		l := weightedLedger(t, dp.AddRemove, dp.ZCDP, bits)
		for range 500 {
			cells := make([]int64, 4)
			for i := range cells {
				cells[i] = rng.Int64N(1 << 36 >> rng.IntN(36))
			}
			model, want := query.NewAnswers(w), new(big.Rat)
			for i, m := range w.Marginals {
				for c, count := range (table{square, cells}).Marginal(m.Clique) {
					x := float64(int64(rng.Float64()*math.Exp2(40-40*rng.Float64())*8)) / 8 // on the grid 2^-20
					model[i][c] = x
					d := new(big.Rat).Sub(big.NewRat(count, 1<<bits), new(big.Rat).SetFloat64(x))
					want.Add(want, d.Abs(d))
				}
			}
			up := new(big.Int).Add(want.Num(), new(big.Int).Sub(want.Denom(), big.NewInt(1)))
			up.Quo(up, want.Denom())
			got := sumOf(weightedGate(t, cells, l), w, model)
			must.Need(t, got == up.Int64(), "weights of %d bits: %d, want %v rounded up, %v", bits, got, want, up)
		}
	}
}

// TestMeanDistanceLoss: on neighbours as far apart as declared, the exact law of the noise loses what is charged, no more and,
// but for rounding, no less. False alarms: none, as nothing is drawn.
func TestMeanDistanceLoss(t *testing.T) {
	w, _ := small()
	grid := epsilonGrid(.2, 15)
	for _, n := range relations {
		for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure} {
			l := weightedLedger(t, n, kind, 0)
			g := testGate(t, []int64{3, 0, 7, 1}, l)
			p := must.Value(g.plan(Request{Method: MeanDistance, Stage: "s", Workload: w, Model: query.NewAnswers(w), Share: dp.ShareOf(1, 2)}))(t)
			var epsilon *big.Rat
			if kind == dp.Pure {
				epsilon = exactLoss(t, p.event, dp.Pure)
			}
			rho := exactLoss(t, p.event, dp.ZCDP)
			moved := movedNoise{}.of(p.event, []*big.Rat{p.event.Steps(0)}, []int64{int64(len(w.Marginals)) * n.UnitChanges()})
			losses := dptest.NewLosses(grid)
			losses.AddThen(dptest.Sure(), dptest.Sure(), moved)
			var worst spent
			worst.of(losses, epsilon, rho, grid)
			worst.check(t, "mean distance, "+kind.String()+", "+n.String(), 1-1e-9)
		}
	}
}

// TestMeanDistanceDraws compares 20,000 releases with the law of their event around the exact mean: χ², alarm 1e-6 in each
// case; noise of four fifths of the scale must not fit.
func TestMeanDistanceDraws(t *testing.T) {
	w, model := small()
	for i := range model {
		copy(model[i], table{square, []int64{3, 0, 7, 1}}.floats(w.Marginals[i].Clique))
	}
	model[0][0] += 2.25
	model[2][2] -= 5
	const truth, k = 8, 3 // 7.25 rounded up
	for _, l := range []*accountant.Ledger{zcdp(t, dp.AddRemove), pure(t, dp.AddRemove), zcdp(t, dp.Replace)} {
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		src := root(t).Stream("draws", 0, [32]byte{})
		g.open = func(string, int, [32]byte) noise.Source { return src }
		p := must.Value(g.plan(Request{Method: MeanDistance, Stage: "s", Workload: w, Model: model, Share: dp.ShareOf(1, 4)}))(t)
		pmf, reach := pmfOf(p.event, p.event.Scales[0])
		seen, law, narrow := make([]int, 2*int(reach)+1), make([]float64, 2*int(reach)+1), make([]float64, 2*int(reach)+1)
		for y := -2 * reach; y <= 2*reach; y++ {
			law[int(max(-reach, min(reach, y))+reach)] += pmf(y)
			narrow[int(math.Round(max(-reach, min(reach, .8*y))+reach))] += pmf(y)
		}
		for range 20_000 {
			d := p.draw().MeanDistance
			must.Need(t, d.Variance == p.event.Variance(0)/(k*k), "variance %g of a mean of %d, noise of the sum %g", d.Variance, k, p.event.Variance(0))
			seen[int(max(-reach, min(reach, math.Round(k*d.Counts)-truth))+reach)]++
		}
		if v := dptest.ChiSquare(seen, law); v < dptest.Alarm {
			t.Errorf("%v, %v: p = %g", l.Params().Accounting, l.Params().Neighbouring, v)
		}
		if v := dptest.ChiSquare(seen, narrow); v > dptest.Alarm {
			t.Errorf("%v, %v: fits less noise: p = %g", l.Params().Accounting, l.Params().Neighbouring, v)
		}
	}
}

// TestMeanDistanceRefuses what has no declared sensitivity or could leave an int64, before anything is charged.
func TestMeanDistanceRefuses(t *testing.T) {
	l := zcdp(t, dp.AddRemove)
	g := testGate(t, []int64{1, 2, 3, 4}, l)
	must.Fails(g.curator().MeanDistance("queries", linear(), query.NewAnswers(linear()), dp.ShareOf(1, 2)))(t, "", "distances of linear queries")
	wide := query.Workload{Sizes: []int{1 << 11, 1 << 10}, Marginals: []query.Marginal{{Clique: domain.Clique{0, 1}, Weight: 1}, {Clique: domain.Clique{0}, Weight: 1}}}
	g.sizes = wide.Sizes
	must.Fails(g.curator().MeanDistance("wide", wide, query.NewAnswers(wide), dp.ShareOf(1, 2)))(t, "", "2^21 cells and more")
	must.Hold(t, len(l.Events()) <= 0, "a refused request was charged")
}
