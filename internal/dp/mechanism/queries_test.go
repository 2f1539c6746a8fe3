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

// table2 returns queries on the 2×2 universe.
func table2(rows ...[]float64) query.Marginal {
	l, err := query.NewLinear(rows)
	if err != nil {
		panic(err)
	}
	return query.Marginal{Clique: domain.Clique{0, 1}, Weight: 1, Queries: l}
}

// linear is a workload of a marginal, whole queries of both signs, and others.
func linear() query.Workload {
	return query.Workload{Sizes: square, Marginals: []query.Marginal{
		{Clique: domain.Clique{0}, Weight: 1},
		table2([]float64{1, -1, -1, 1}, []float64{1, 1, 0, 1}, []float64{0, 0, 1, 0}),
		table2([]float64{.5, -.25, 1, 0}, []float64{.1, .2, .3, .4}, []float64{1, 0, -1, .7}, []float64{-1, -1, -1, -.3}),
	}}
}

// TestRangesOfQueries finds the ranges of the scores of linear queries, and the largest change of an answer, by brute
// force: they are the computed ones, which are whole counts, exactly if the values are whole.
func TestRangesOfQueries(t *testing.T) {
	all := linear()
	one := func(m ...query.Marginal) query.Workload { return query.Workload{Sizes: square, Marginals: m} }
	for name, w := range map[string]query.Workload{
		"conjunction": one(table2([]float64{0, 1, 0, 0})),
		"parity":      one(table2([]float64{1, -1, -1, 1})),
		"negative":    one(table2([]float64{0, -1, -1, 0})),
		"three":       one(all.Marginals[1]),
		"mixed":       one(all.Marginals[0], all.Marginals[1]),
		"halves":      one(table2([]float64{.5, 0, 0, 0})),
		"fractions":   all,
	} {
		model := query.NewAnswers(w)
		for i := range model {
			for c := range model[i] {
				model[i][c] = .3 + .37*float64(i) - .45*float64(c*c)
			}
		}
		whole := !slices.ContainsFunc(w.Marginals, func(m query.Marginal) bool { return m.Queries != nil && !m.Queries.Whole() })
		for _, n := range relations {
			l := zcdp(t, n)
			var cell, block, change int64
			squares := make([]*big.Rat, len(w.Marginals))
			for i := range squares {
				squares[i] = new(big.Rat)
			}
			pairs(n, func(x, y []int64) {
				a, b := testGate(t, x, l), testGate(t, y, l)
				cell = max(cell, spread(cellCandidates(a, w, model, 2.7), cellCandidates(b, w, model, 2.7)))
				block = max(block, spread(blockCandidates(a, w, model), blockCandidates(b, w, model)))
				for i, m := range w.Marginals {
					sum := new(big.Rat)
					p, q := a.count(nil, m), b.count(nil, m)
					for c := range p {
						d := big.NewRat(p[c]-q[c], 1<<query.LinearBits)
						change = max(change, p[c]-q[c], q[c]-p[c])
						sum.Add(sum, d.Mul(d, d))
					}
					if sum.Cmp(squares[i]) > 0 {
						squares[i] = sum
					}
				}
			})
			const count = 1 << query.LinearBits
			for what, c := range map[string]struct {
				got  int64
				want dp.Range
			}{"cell": {cell, w.CellRange(n)}, "block": {block, w.BlockRange(n)}, "change": {change, w.LargestChange(n)}} {
				if short := int64(c.want)*count - c.got; short < 0 || whole && short > 0 || short >= 2*count {
					t.Errorf("%v, %s: range of %s scores is %g counts, computed %d", n, name, what, float64(c.got)/count, c.want)
				}
			}
			for i, c := range testGate(t, nil, l).tables(w) {
				must.Hold(t, c.L2Squared.Cmp(squares[i]) == 0, "%v, %s: Δ² of table %d is %v, computed %v", n, name, i, squares[i], c.L2Squared)
			}
		}
	}
}

// TestQueryScores: SelectCell weighs a query by its exact answer less the model's, and its opposite by what is left of
// the bounds' sum.
func TestQueryScores(t *testing.T) {
	w := linear()
	model := query.NewAnswers(w)
	model[2][2] = 1.25
	counts := []int64{3, 0, 7, 1}
	scores := cellCandidates(testGate(t, counts, zcdp(t, dp.AddRemove)), w, model, 2.75)
	at := 0
	for i, m := range w.Marginals {
		for c := range model[i] {
			e, least, most := -model[i][c], 0.0, 1.0
			if m.Queries == nil {
				e += float64(counts[2*c] + counts[2*c+1])
			} else {
				for z, n := range counts {
					e += float64(n) * m.Queries.Value(c, z)
				}
				least, most = m.Bounds(c)
			}
			for k, want := range []float64{e, (least+most)*(11-2.75) - e} {
				got := math.Ldexp(float64(scores[at+k]), -accountant.ScoreGridBits)
				must.Hold(t, math.Abs(got-want) <= 0x1p-19, "query %d of table %d: score %g, want %g", c, i, got, want)
			}
			at += 2
		}
	}
}

// TestQueryNoise compares the noise of 20,000 answers with the law of the reported variance around the exact answers,
// whole and not. Δ² is 20,000 and more, so that noise is coarser than values: answers are rounded. False alarms: 1e-6.
func TestQueryNoise(t *testing.T) {
	const answers = 20_000
	for _, value := range []float64{1, -.7} {
		rows := make([][]float64, answers)
		for i := range rows {
			rows[i] = []float64{value, 0, .5 * value, value}
		}
		m := table2(rows...)
		w := query.Workload{Sizes: square, Marginals: []query.Marginal{m}}
		for _, n := range relations {
			g := testGate(t, []int64{3, 5, 0, 1}, ledger(t, accountant.Params{Neighbouring: n, Epsilon: 1e-3, Delta: 1e-6}))
			r := must.Value(g.curator().MeasureQueries("queries", 1, w, dp.ShareOf(1, 2)))(t)
			truth, p := 4*m.Queries.Value(0, 0), make([]float64, 16)
			for i := range p {
				p[i] = normal(float64(i-7)/2) - normal(float64(i-8)/2)
			}
			p[0], p[15] = normal(-3.5), normal(-3.5)
			for _, scale := range []float64{1, 1.15} {
				seen := make([]int, 16)
				for _, v := range r[0].Values {
					seen[int(max(0, min(15, math.Floor(2*(v-truth)/math.Sqrt(scale*r[0].Variance))+8)))]++
				}
				v := dptest.ChiSquare(seen, p)
				must.Hold(t, (v < dptest.Alarm) == (scale > 1), "%v, value %g, variance ×%g: p = %g", n, value, scale, v)
			}
		}
	}
}

// TestRoundedAnswers: on the grid of the noise, whatever it is, no two neighbours' answers differ by more than the
// charged Δ².
func TestRoundedAnswers(t *testing.T) {
	w := linear()
	for _, n := range relations {
		tables := testGate(t, nil, zcdp(t, n)).tables(w)
		for _, bits := range []int{0, 3, 19, 20, 30} {
			pairs(n, func(x, y []int64) {
				a, b := testGate(t, x, zcdp(t, n)), testGate(t, y, zcdp(t, n))
				for i, m := range w.Marginals {
					sum := new(big.Rat)
					p, q := a.count(nil, m), b.count(nil, m)
					for c := range p {
						v, at := roundTo(p[c], query.LinearBits, bits)
						u, _ := roundTo(q[c], query.LinearBits, bits)
						d := big.NewRat(v-u, 1<<at)
						sum.Add(sum, d.Mul(d, d))
					}
					must.Need(t, sum.Cmp(tables[i].OnGrid(bits)) <= 0, "%v, 2^-%d, table %d: Δ² %v, charged %v", n, bits, i, sum, tables[i].OnGrid(bits))
				}
			})
		}
	}
}
