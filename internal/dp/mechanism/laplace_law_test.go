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
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// exhausts compares the losses of statistics with noise of an event, for all moves between neighbours, with what the event
// charges: the worst are the charge but for its rounding to 2^-80 for each marginal.
func exhausts(t *testing.T, what string, event accountant.Event, scales []*big.Rat, moves [][]int64) {
	t.Helper()
	grid, known, seen := epsilonGrid(.2, 20), movedNoise{}, map[*dptest.Noise]bool{}
	epsilon, rho := exactLoss(t, event, dp.Pure), exactLoss(t, event, dp.ZCDP)
	var worst spent
	for _, m := range moves {
		noise := known.of(event, scales, m)
		if noise == nil || seen[noise] {
			continue
		}
		seen[noise] = true
		l := dptest.NewLosses(grid)
		l.AddThen(dptest.Sure(), dptest.Sure(), noise)
		worst.of(l, epsilon, rho, grid)
	}
	worst.check(t, what, 1-1e-15)
}

// TestLaplaceResidualLoss: centred tables of a pure ledger are functions of counts plus Laplace noise, whose laws for
// neighbours differ by the charge, of two precisions.
func TestLaplaceResidualLoss(t *testing.T) {
	w := query.Workload{Sizes: square, Marginals: []query.Marginal{{Clique: domain.Clique{0}}, {Clique: domain.Clique{0, 1}}}}
	for _, n := range relations {
		g := newGate(table{square, []int64{1, 2, 0, 1}}, Params{Sizes: square, Ledger: pure(t, n), Root: root(t)})
		p := must.Value(g.plan(Request{Method: Residuals, Stage: "s", Cliques: w.Cliques(), Precision: []float64{1, 40}, Share: dp.ShareOf(1, 3)}))(t)
		var all [][]int64
		pairs(n, func(x, y []int64) { all = append(all, moves(w, x, y)) })
		scales := slices.Concat(slices.Repeat(p.event.Scales[:1], 2), slices.Repeat(p.event.Scales[1:], 4))
		exhausts(t, "residuals, "+n.String(), p.event, scales, all)
	}
}

// TestLaplaceTreeLoss: the same for all differences of trees of several shapes, whether they are drawn or not.
func TestLaplaceTreeLoss(t *testing.T) {
	for _, n := range relations {
		for _, s := range []query.TreeShape{{Values: 2, Null: true}, {Values: 4}, {Values: 4, Null: true}, {Values: 8, Null: true}} {
			base := slices.Repeat([]int64{1}, s.Codes())
			g := newGate(table{[]int{s.Codes()}, base}, Params{Sizes: []int{s.Codes()}, Ledger: pure(t, n), Root: root(t)})
			p := must.Value(g.plan(Request{Method: Trees, Stage: "s", Cliques: []domain.Clique{{0}}, Shapes: []query.TreeShape{s}, Precision: []float64{1}, Share: dp.ShareOf(1, 3)}))(t)
			var all [][]int64
			for _, y := range dptest.Neighbours(n, base) {
				from, to := differences(s, base), differences(s, y)
				for i := range to {
					to[i] -= from[i]
				}
				all = append(all, to)
			}
			exhausts(t, "tree, "+n.String(), p.event, slices.Repeat(p.event.Scales, len(all[0])), all)
		}
	}
}

// differences lists all differences of a tree, by its definition.
func differences(s query.TreeShape, counts []int64) (all []int64) {
	up, null := s.Cumulative(counts)
	level := 0
	if s.Null {
		all, level = append(all, s.Difference(up, null, 0, 0)), 1
	}
	width := 1
	for width < s.Values {
		width *= 2
	}
	for ; width > 1; width, level = width/2, level+1 {
		for i := 0; i*width+width/2 < s.Values; i++ {
			all = append(all, s.Difference(up, null, level, i))
		}
	}
	return all
}

// TestLaplaceDistanceLoss: the largest loss of all distances of a table together, on the event's own grid, is Σ|moves|/scale
// exactly, for moves attain any loss |m|/scale (dptest's TestMovedNoise): the charge but for its rounding to 2^-80 for each
// marginal. With noise of few steps, the laws are enumerated.
func TestLaplaceDistanceLoss(t *testing.T) {
	w, model := small()
	for i := range model { // far below every count, or above: all distances move with it
		for c := range model[i] {
			model[i][c] = -100.3
		}
	}
	for _, n := range relations {
		g := newGate(table{square, []int64{1, 2, 0, 1}}, Params{Sizes: square, Ledger: pure(t, n), Root: root(t)})
		p := must.Value(g.plan(Request{Method: Scores, Stage: "s", Cliques: w.Cliques(), Model: model, Share: dp.ShareOf(1, 3)}))(t)
		var whole [][]int64
		most := new(big.Rat)
		pairs(n, func(x, y []int64) {
			sum, moved := new(big.Rat), []int64(nil)
			for i, m := range w.Marginals {
				a, b := table{square, x}.Marginal(m.Clique), table{square, y}.Marginal(m.Clique)
				base := slices.Clone(model[i])
				for c := range base {
					if n == dp.Replace && b[c] > a[c] { // a record leaves a cell above its base for one below
						base[c] = 100
					}
				}
				d := distanceOf(b, 0, base, p.event.GridBits).steps64(p.event.GridBits)
				d.Abs(d.Sub(d, distanceOf(a, 0, base, p.event.GridBits).steps64(p.event.GridBits)))
				moved = append(moved, new(big.Int).Rsh(d, uint(p.event.GridBits)).Int64())
				sum.Add(sum, new(big.Rat).Quo(new(big.Rat).SetInt(d), p.event.Steps(i)))
			}
			whole = append(whole, moved)
			if sum.Cmp(most) > 0 {
				most = sum
			}
		})
		lack := new(big.Rat).Sub(exactLoss(t, p.event, dp.Pure), most)
		if limit := big.NewRat(int64(len(w.Marginals)), 1<<62); lack.Sign() < 0 || lack.Mul(lack, big.NewRat(1<<18, 1)).Cmp(limit) > 0 {
			t.Errorf("%v: the worst pair lacks %s·2^-18 of the charge", n, lack.FloatString(30))
		}
		coarse := p.event
		coarse.GridBits, coarse.Scales = 0, slices.Repeat([]*big.Rat{big.NewRat(9, 2)}, len(p.event.Scales))
		exhausts(t, "distances, "+n.String(), coarse, coarse.Scales, whole)
	}
}

// TestLaplaceReleases compares 20,000 releases of each method of a pure ledger with the law of Laplace noise on their own grid.
// False alarms: 1e-6 per case.
func TestLaplaceReleases(t *testing.T) {
	const releases = 20_000
	counts := []int64{30, 10, 20, 40}
	cliques := slices.Repeat([]domain.Clique{{0}}, releases)
	g := newGate(table{square, counts}, Params{Sizes: square, Ledger: pure(t, dp.AddRemove), Root: root(t)})
	ones := slices.Repeat([]float64{1}, releases)
	// A difference of two values moves by Z₁ − Z₂ in a table and by Z in a tree; distances have a finer grid.
	residuals := must.Value(g.answer(Request{Method: Residuals, Stage: "a", Cliques: cliques, Precision: ones, Share: dp.ShareOf(1, 4)}))(t)
	trees := must.Value(g.answer(Request{Method: Trees, Stage: "b", Cliques: cliques, Shapes: slices.Repeat([]query.TreeShape{{Values: 2}}, releases),
		Total: 1e12, Precision: ones, Share: dp.ShareOf(1, 4)}))(t)
	scores := must.Value(g.answer(Request{Method: Scores, Stage: "c", Cliques: cliques, Model: slices.Repeat(query.Answers{{0.25, 0}}, releases), Share: dp.ShareOf(1, 4)}))(t)
	scale := float64(releases) / 2 // of an ε of 8, in counts
	for name, c := range map[string]struct {
		z     func(i int) float64
		above func(float64) float64
	}{
		"residuals": {func(i int) float64 { v := residuals.Measurements[i].Values; return v[0] - v[1] + 20 }, laplaceTail(scale, .5)},
		"trees":     {func(i int) float64 { return trees.Trees[i].Nodes[0].Difference + 20 }, laplaceTail(scale, 0)},
		"scores":    {func(i int) float64 { return scores.Scores.Values[i] - 99.75 }, laplaceTail(scale, 0)},
	} {
		for _, wider := range []float64{1, 1.1} {
			seen, want := make([]int, 12), make([]float64, 12)
			for i := range want {
				low, high := float64(i-6)*scale/2, float64(i-5)*scale/2
				want[i] = c.above(low) - c.above(high)
				if i == 0 {
					want[i] = 1 - c.above(high)
				}
				if i == len(want)-1 {
					want[i] = c.above(low)
				}
			}
			for i := range releases {
				at := int(min(max(6+c.z(i)/wider/scale*2, 0), 11))
				seen[at]++
			}
			v := dptest.ChiSquare(seen, want)
			must.Hold(t, (v < dptest.Alarm) == (wider > 1), "%s, noise / %g: p = %g", name, wider, v)
		}
	}
}

// laplaceTail returns P(Z > x) of Laplace noise of a scale; with slope ½, of the difference of two.
func laplaceTail(scale, slope float64) func(x float64) float64 {
	var above func(x float64) float64
	above = func(x float64) float64 {
		if x < 0 {
			return 1 - above(-x)
		}
		return math.Exp(-x/scale) * (1 + slope*x/scale) / 2
	}
	return above
}
