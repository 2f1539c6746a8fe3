package mechanism

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// weighted is a table of counts in steps of 2^-bits.
type weighted struct {
	table
	bits int
}

func (w weighted) Units() int64 { return w.table.Units() >> w.bits }

func (w weighted) WeightBits() int { return w.bits }

func weightedGate(t testing.TB, cells []int64, l *accountant.Ledger) *gate {
	g := testGate(t, nil, l)
	g.counts = weighted{table{square, cells}, l.Params().WeightBits}
	return g
}

// weightedLedger returns a ledger of the given kind for weights in steps of 2^-bits.
func weightedLedger(t testing.TB, n dp.Neighbouring, kind dp.Accounting, bits int) *accountant.Ledger {
	p := accountant.Params{Neighbouring: n, Accounting: kind, Epsilon: 8, Delta: 1e-6, Coordinates: 10_000, WeightBits: bits}
	if kind == dp.Pure {
		p.Delta = 0
	}
	return ledger(t, p)
}

// mixedPairs calls visit for each pair of neighbours that differ in a unit with any rows whatever, in
// steps of 2^-bits, beside nobody or any one other unit. Short tests leave out the other one.
func mixedPairs(n dp.Neighbouring, bits int, visit func(x, y []int64)) {
	var units [][]int64
	for _, u := range dptest.Tables(4, 1<<bits) {
		if (table{square, u}).Units() == 1<<bits {
			units = append(units, u)
		}
	}
	plus := func(a, b []int64) []int64 {
		sum := slices.Clone(a)
		for i := range b {
			sum[i] += b[i]
		}
		return sum
	}
	others := [][]int64{make([]int64, 4)}
	if !testing.Short() {
		others = append(others, units...)
	}
	for _, other := range others {
		for _, u := range units {
			if n == dp.AddRemove {
				visit(other, plus(other, u))
				visit(plus(other, u), other)
				continue
			}
			for _, v := range units {
				visit(plus(other, u), plus(other, v))
			}
		}
	}
}

// TestWeightedSensitivities: units whose weights add up to 1 change scores, errors, distances, trees and marginals, centred
// or not, by at most what one record does, on the grids of scores and of noise; and some unit by as much.
func TestWeightedSensitivities(t *testing.T) {
	const bits, gridBits = 2, 30
	w, model := small()
	count := func(steps float64) float64 { return math.Ldexp(steps, -accountant.ScoreGridBits) }
	shape := query.TreeShape{Values: 2}
	for _, n := range relations {
		l := weightedLedger(t, n, dp.ZCDP, bits)
		most, seen := map[string]float64{}, map[[8]int64]bool{}
		grow := func(name string, x float64) { most[name] = max(most[name], x) }
		mixedPairs(n, bits, func(x, y []int64) {
			if key := [8]int64(slices.Concat(x, y)); seen[key] {
				return
			} else {
				seen[key] = true
			}
			a, b := weightedGate(t, x, l), weightedGate(t, y, l)
			grow("cell", count(float64(spread(cellCandidates(a, w, model, 2.7), cellCandidates(b, w, model, 2.7)))))
			grow("block", count(float64(spread(blockCandidates(a, w, model), blockCandidates(b, w, model)))))
			grow("signed", count(float64(spread(signedCandidates(a, w, model), signedCandidates(b, w, model)))))
			for _, to := range []int{0, bits, 30} {
				u, grid := ceilTo(largest(a.workloadErrors(w, model)), accountant.ScoreGridBits, to)
				v, _ := ceilTo(largest(b.workloadErrors(w, model)), accountant.ScoreGridBits, to)
				grow("largest error", math.Ldexp(math.Abs(float64(u-v)), -grid))
			}
			distances, squares := 0.0, 0.0
			for i, m := range w.Marginals {
				p, q := a.marginal(m.Clique), b.marginal(m.Clique)
				d := distanceOf(p, bits, model[i], gridBits).steps64(gridBits)
				f, _ := new(big.Float).SetInt(d.Sub(d, distanceOf(q, bits, model[i], gridBits).steps64(gridBits))).Float64()
				distances += math.Ldexp(f*f, -2*gridBits)
				l1, l2 := 0.0, 0.0
				for c := range p {
					d := math.Ldexp(float64(p[c]-q[c]), -bits)
					l1, l2 = l1+math.Abs(d), l2+d*d
				}
				squares += l2
				grow("L1", l1)
				centred, norm := newLimbs(len(p)), 0.0
				for c := range p {
					centred.set(c, p[c], -q[c]<<(gridBits-bits), gridBits-bits)
				}
				centred.centre(slices.Repeat([]int{2}, len(m.Clique)))
				for _, v := range centred.over(math.Ldexp(float64(len(p)), gridBits)) {
					norm += v * v
				}
				grow([]string{"", "centred", "centred pair"}[len(m.Clique)], norm)
				if len(m.Clique) == 1 {
					up, _ := shape.Cumulative(p)
					down, _ := shape.Cumulative(q)
					d := math.Ldexp(float64(shape.Difference(up, 0, 0, 0)-shape.Difference(down, 0, 0, 0)), -bits)
					grow("tree", d*d)
				}
			}
			grow("distances", distances)
			grow("L2 squared", squares)
		})
		exact := func(r *big.Rat) float64 { f, _ := r.Float64(); return f }
		for name, want := range map[string]float64{
			"cell": float64(w.CellRange(n)), "block": float64(w.BlockRange(n)), "signed": float64(query.SignedCellRange()),
			"largest error": float64(w.LargestChange(n)), "distances": float64(query.DistanceL2Squared(n, len(w.Marginals))),
			"L1": float64(n.UnitChanges()), "L2 squared": float64(n.UnitChanges()) * float64(len(w.Marginals)),
			"centred": exact(query.ResidualL2Squared(n, []int{2})), "centred pair": exact(query.ResidualL2Squared(n, square)),
			"tree": float64(shape.L2Squared(n)),
		} {
			attained := name != "distances" || n == dp.AddRemove // two records of one distance need bases between them
			must.Hold(t, most[name] <= want+1e-12 && (!attained || most[name] >= want-1e-12), "%v: %s changes by %g at most, declared %g", n, name, most[name], want)
		}
	}
}

// TestWeightedLoss: the laws of a selection, and of noisy marginals, on neighbours with several rows of a unit differ
// by no more than is charged.
func TestWeightedLoss(t *testing.T) {
	const bits = 1
	w, model := small()
	grid := epsilonGrid(.2, 15)
	pair := query.Workload{Sizes: square, Marginals: []query.Marginal{{Clique: domain.Clique{0, 1}}}}
	for _, n := range relations {
		if n != dp.AddRemove && testing.Short() {
			continue // make verify has the time
		}
		for name, c := range map[string]struct {
			kind dp.Kind
			r    dp.Range
			law  selectionLaw
		}{"cell": {dp.Exponential, w.CellRange(n), cellLaw}, "block": {dp.BlockExponential, w.BlockRange(n), blockLaw}} {
			l := weightedLedger(t, n, dp.Pure, bits)
			event := must.Value(l.Select(c.kind, c.r, dp.ShareOf(1, 8)))(t)
			var worst spent
			laws := map[[4]int64]law{}
			of := func(x []int64) law {
				key := [4]int64(x)
				if laws[key] == nil {
					laws[key] = c.law(weightedGate(t, x, l), w, model, steps(event))
				}
				return laws[key]
			}
			mixedPairs(n, bits, func(x, y []int64) {
				p, q := of(x), of(y)
				worst.of(lossesOf(p, q, grid), exactLoss(t, event, dp.Pure), exactLoss(t, event, dp.ZCDP), grid)
			})
			worst.check(t, "weighted "+name+", "+n.String(), .2)
		}
		for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure} {
			event := must.Value(weightedLedger(t, n, kind, bits).Measure(accountant.Equal(1, 4), dp.ShareOf(1, 1)))(t)
			must.Need(t, event.GridBits == bits, "%v: noise on the grid 2^-%d", kind, event.GridBits)
			var epsilon *big.Rat
			if kind == dp.Pure {
				epsilon = exactLoss(t, event, dp.Pure)
			}
			var worst spent
			known, seen := movedNoise{}, map[*dptest.Noise]bool{}
			scales := slices.Repeat([]*big.Rat{event.Steps(0)}, 4)
			mixedPairs(n, bits, func(x, y []int64) {
				noise := known.of(event, scales, moves(pair, x, y))
				if noise == nil || seen[noise] {
					return
				}
				seen[noise] = true
				l := dptest.NewLosses(grid)
				l.AddThen(dptest.Sure(), dptest.Sure(), noise)
				worst.of(l, epsilon, exactLoss(t, event, dp.ZCDP), grid)
			})
			worst.check(t, "weighted "+kind.String()+" measurement, "+n.String(), 1-1e-15)
		}
	}
}

// TestWeightsReachReleases: with the noise of a fixed stream, releases differ by the exact difference of weighted counts,
// and scores equal the scores of the same counts without weights.
func TestWeightsReachReleases(t *testing.T) {
	const bits = 12
	a, b := []int64{700 << bits, 20<<bits + 1, 4095, 9 << bits}, []int64{710 << bits, 21 << bits, 1<<bits + 4096, 9<<bits + 2048}
	share, one := dp.ShareOf(1, 10), []domain.Clique{{0, 1}}
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure, dp.GaussianOnly} {
		ask := func(cells []int64) (values []float64) {
			g := weightedGate(t, cells, weightedLedger(t, dp.AddRemove, kind, bits))
			open := g.open
			g.open = func(stage string, _ int, _ [32]byte) noise.Source { return open(stage, 0, [32]byte{}) }
			for _, r := range []Request{
				{Method: Measure, Stage: "measure", Cliques: one, Share: share},
				{Method: Residuals, Stage: "residuals", Cliques: one, Precision: []float64{1}, Share: share},
				{Method: Trees, Stage: "trees", Cliques: []domain.Clique{{0}}, Shapes: []query.TreeShape{{Values: 2}}, Total: 1000, Precision: []float64{1}, Share: share},
				{Method: Scores, Stage: "scores", Cliques: one, Model: query.Answers{{0, 0, 0, 0}}, Share: share},
				{Method: Total, Stage: "total", Share: share},
			} {
				release := must.Value(g.answer(r))(t)
				for _, m := range release.Measurements {
					values = append(values, m.Values...)
				}
				for _, tree := range release.Trees {
					values = append(values, tree.Nodes[0].Difference)
				}
				values = append(append(values, release.Scores.Values...), release.Total.Units)
			}
			return values
		}
		step := math.Ldexp(1, -bits)
		d := []float64{10, 1 - step, 1 + step, .5}
		want := slices.Concat(d, []float64{0})
		p := lessMeans([]int64{10 << bits, 1<<bits - 1, 1<<bits + 1, 1 << (bits - 1)}, square)
		for i := range p {
			p[i] *= step
		}
		want = slices.Concat(want, p, []float64{0, d[0] + d[1] - d[2] - d[3], 0, d[0] + d[1] + d[2] + d[3], 0})
		x, y := ask(a), ask(b)
		want = append(want, float64(weighted{table{square, b}, bits}.Units()-weighted{table{square, a}, bits}.Units()))
		for i := range want {
			got := y[i] - x[i]
			must.Hold(t, math.Abs(got-want[i]) <= 1e-9, "%v: release %d differs by %g, want %g", kind, i, got, want[i])
		}
	}
	for value, works := range map[float64]bool{-1: true, 0.5: false} {
		l := must.Value(query.NewLinear([][]float64{{value, 0, 1, 0}}))(t)
		w := query.Workload{Sizes: square, Marginals: []query.Marginal{{Clique: domain.Clique{0, 1}, Queries: l, Weight: 1}}}
		g := weightedGate(t, a, weightedLedger(t, dp.AddRemove, dp.ZCDP, bits))
		_, err := g.answer(Request{Method: MaxError, Stage: "queries", Workload: w, Model: query.Answers{{0}}, Share: share})
		must.Hold(t, (err == nil) == works, "a query with the value %g: %v", value, err)
		got, want := g.workloadErrors(w, query.Answers{{0}})[0], int64(value*700*(1<<20))+4095<<8
		must.Hold(t, !works || got == want, "a query is answered by %d steps, want %d", got, want)
	}
	w, model := small()
	whole := []int64{3, 0, 7, 1}
	shifted := make([]int64, 4)
	for i, c := range whole {
		shifted[i] = c << bits
	}
	g := weightedGate(t, shifted, weightedLedger(t, dp.AddRemove, dp.ZCDP, bits))
	must.Hold(t, slices.Equal(slices.Clone(g.workloadErrors(w, model)), testGate(t, whole, zcdp(t, dp.AddRemove)).workloadErrors(w, model)),
		"scores of whole counts in steps differ from the scores of whole counts")
}
