package mechanism

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// forest is a table over two attributes whose bins are learned, 8 values and NULL each.
func forest(t *testing.T, l *accountant.Ledger, change int64) *gate {
	counts := make([]int64, 81)
	for i := range counts {
		counts[i] = int64(1000 + i*i%97)
	}
	counts[7] += change
	g := testGate(t, nil, l)
	g.counts, g.sizes = table{[]int{9, 9}, counts}, []int{9, 9}
	return g
}

func treeRequest(stage string) Request {
	return Request{Method: Trees, Stage: stage, Round: 1, Cliques: []domain.Clique{{0}, {1}}, Total: 1 << 30,
		Shapes: []query.TreeShape{{Values: 8, Null: true}, {Values: 8, Null: true}}, Precision: []float64{1, 3}, Share: dp.ShareOf(1, 50)}
}

// TestTreesAreCharged: one event with the sensitivity of whole trees, within the share and nearly all of it.
func TestTreesAreCharged(t *testing.T) {
	for _, n := range relations {
		for _, l := range []*accountant.Ledger{zcdp(t, n), gdp(t, n), pure(t, n)} {
			must.Value(forest(t, l, 0).answer(treeRequest("trees")))(t)
			e := l.Events()[0]
			want := int64(4) // a level of NULL and three of halves
			if n == dp.Replace {
				if want = 8; l.Params().Accounting == dp.Pure { // 4 + 2 + 2, and 2 + 2 + 2
					want = 6
				}
			}
			for i := range 2 {
				x, _ := e.Sensitivities[i].Float64()
				must.Hold(t, x == float64(want), "%v: sensitivity of tree %d is %g, want %d", n, i, x, want)
			}
			part, _ := l.Spent().Float64()
			part /= l.Budget().Capacity
			must.Hold(t, part <= 1./50 && part >= .999/50, "%v: %g of the budget is spent, want 0.02", n, part)
			ratio := e.Variance(0) / e.Variance(1)
			must.Hold(t, math.Abs(ratio-3) <= .01, "precisions 1 and 3: variances have the ratio %g", ratio)
		}
	}
}

// TestTreeNoise: released differences minus exact ones are independent and have the stated variance.
func TestTreeNoise(t *testing.T) {
	sum, squares, products, n := 0.0, 0.0, 0.0, 0.0
	l := zcdp(t, dp.AddRemove)
	g := forest(t, l, 0)
	for round := 1; round <= 40; round++ {
		r := treeRequest("trees")
		r.Round, r.Share = round, dp.ShareOf(1, 5000)
		release := must.Value(g.answer(r))(t)
		for i, tree := range release.Trees {
			counts := g.marginal(r.Cliques[i])
			up := make([]int64, 9)
			for v, x := range counts[:8] {
				up[v+1] = up[v] + x
			}
			must.Need(t, len(tree.Nodes) == 8, "%d nodes of a tree whose total is far above the noise, want 8", len(tree.Nodes))
			last := 0.0
			for _, x := range tree.Nodes {
				z := (x.Difference - float64(tree.Shape.Difference(up, counts[8], x.Level, x.Index))) / math.Sqrt(tree.Variance)
				sum, squares, products, n = sum+z, squares+z*z, products+z*last, n+1
				last = z
			}
		}
	}
	// 640 numbers: 5 standard deviations, a false alarm in 600,000 for each of the three.
	must.Hold(t, math.Abs(sum) <= 5*math.Sqrt(n) && math.Abs(squares-n) <= 5*math.Sqrt(2*n) && math.Abs(products) <= 5*math.Sqrt(n),
		"of %g numbers: sum %g, squares %g, products of neighbours %g", n, sum, squares, products)
}

// TestTreesBindTheirStreams: equal counts repeat their noise; one record more gives other noise at every node.
func TestTreesBindTheirStreams(t *testing.T) {
	release := func(change int64, total float64) query.Tree {
		r := treeRequest("trees")
		r.Total = total
		x := must.Value(forest(t, zcdp(t, dp.AddRemove), change).answer(r))(t)
		return x.Trees[1]
	}
	a, b := release(0, 1<<30), release(0, 1<<30)
	must.Hold(t, slices.Equal(a.Nodes, b.Nodes), "equal counts, other noise")
	for _, c := range []query.Tree{release(1, 1<<30), release(0, 1<<29)} {
		for i := range a.Nodes {
			d := a.Nodes[i].Difference - c.Nodes[i].Difference
			must.Hold(t, math.Abs(d) > 1 || d != math.Trunc(d), "node %d: the noise belongs to another table", i)
		}
	}
}

// TestTreesAreRefused without totals, and beyond the budget before counts are read.
func TestTreesAreRefused(t *testing.T) {
	r := treeRequest("trees")
	r.Total = math.NaN()
	must.Fails(forest(t, zcdp(t, dp.AddRemove), 0).answer(r))(t, "", "a total that is no number")
	l := zcdp(t, dp.AddRemove)
	must.Value(forest(t, l, 0).curator().Total("all", dp.ShareOf(1, 1)))(t)
	g := forest(t, l, 0)
	g.counts = forbidden{t}
	g.open = func(string, int, [32]byte) noise.Source { t.Error("a stream was opened"); return nil }
	var exhausted accountant.ErrExhausted
	_, err := g.answer(treeRequest("trees"))
	must.Hold(t, errors.As(err, &exhausted), "%v, want ErrExhausted", err)
}

// TestCoarsen: later requests speak of the coarser codes, nothing is charged, and the replay of all calls is the same.
func TestCoarsen(t *testing.T) {
	l := gdp(t, dp.AddRemove)
	g := forest(t, l, 0)
	codes := query.Recoding{{0, 0, 0, 1, 1, 1, 1, 1, 2}, nil}
	ask := func(c *Curator) ([]query.Measurement, error) {
		r := treeRequest("trees")
		if _, err := c.Trees(r.Stage, r.Round, r.Cliques, r.Shapes, r.Total, r.Precision, r.Share); err != nil {
			return nil, err
		}
		if err := c.Coarsen("bins", codes); err != nil {
			return nil, err
		}
		return c.Measure("pair", 1, []domain.Clique{{0, 1}}, nil, dp.ShareOf(1, 2))
	}
	got := must.Value(ask(g.curator()))(t)
	must.Need(t, len(got[0].Values) == 27 && len(l.Events()) == 2, "%d cells and %d events, want 27 and 2", len(got[0].Values), len(l.Events()))
	want := codes.Merge(domain.Clique{0, 1}, []int{9, 9}, forest(t, l, 0).marginal(domain.Clique{0, 1}))
	for i, x := range got[0].Values { // six standard deviations
		must.Hold(t, math.Abs(x-float64(want[i])) <= 6*math.Sqrt(got[0].Variance), "cell %d: %g, the table has %d", i, x, want[i])
	}
	replay, left := Replay(l.Budget(), g.recorder.Calls)
	again, err := ask(replay)
	must.Hold(t, err == nil && left() == 0 && slices.Equal(got[0].Values, again[0].Values), "replay: %v, %d calls left", err, left())
}
