package privacy

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestReplayLearnedBins is TestReplayNeighbours for a domain that leaves bins to be learned: what a tree of differences
// reads changes by at most what its event declares, and what is asked later, on coarser codes, too.
func TestReplayLearnedBins(t *testing.T) {
	for _, n := range relations {
		for _, kind := range throughRake.kinds {
			rng := rand.New(rand.NewPCG(dptest.Seed(t), uint64(n)))
			used, trees := 0.0, 0
			for i := range dptest.Size(100, 1000) {
				p := problem([]int{5, 3, 4}, []domain.Clique{{0, 1}, {1, 2}, {0, 2}}, n, []dp.Epsilon{1, 15}[rng.IntN(2)], 1e-6, 0)
				p.Domain.Attributes[0] = domain.Attribute{Name: "x", Type: domain.Int64, Cuts: []int64{0, 15}, Resolution: 1, Learned: 4, Null: true}
				p.Domain.Attributes[2] = domain.Attribute{Name: "y", Type: domain.Int64, Cuts: []int64{0, 10}, Resolution: 1, Learned: 4, HasFallback: true}
				p.Domain.Attributes[1].HasFallback = true
				must.Do(t, p.Domain.Validate())
				if kind == dp.Pure {
					p.Delta = 0
				}
				x := randomTable(rng, p.Domain.RecordSizes())
				if n == dp.Replace && len(x.records) == 0 {
					x = x.with([][]domain.Code{corner(x.sizes)})
				}
				y := neighbour(rng, n, x)
				record, err := replay(t, throughRake, p, kind, x, y)
				must.Need(t, err == nil, "pair %d: %v", i, err)
				for _, c := range record {
					if c.Request.Method == mechanism.Coarsen {
						x, y = x.coarsened(c.Request.Merge), y.coarsened(c.Request.Merge)
						continue
					}
					change, declared := changeOf(c, x, y)
					must.Hold(t, change <= declared, "pair %d: %s changes by %g, declared %g", i, c.Request.Method, change, declared)
					if c.Request.Method == mechanism.Trees {
						used, trees = max(used, change/declared), trees+1
					}
				}
			}
			must.Hold(t, used >= .9999 && trees != 0, "%v: no pair attains the declared sensitivity of a tree: largest %g of it, %d releases", n, used, trees)
		}
	}
}

// coarsened returns the table on coarser codes.
func (t table) coarsened(codes query.Recoding) table {
	out := table{sizes: codes.Sizes(t.sizes)}
	for _, r := range t.records {
		coarse := make([]domain.Code, len(r))
		for a, v := range r {
			if coarse[a] = v; codes[a] != nil {
				coarse[a] = codes[a][v]
			}
		}
		out.records = append(out.records, coarse)
	}
	return out
}

// treesChange returns the largest part of its declared sensitivity by which a tree changes.
func treesChange(c mechanism.Call, x, y table) (most float64) {
	for i, q := range c.Request.Cliques {
		sum := 0.0
		for _, d := range treeOf(difference(q, x, y), c.Request.Shapes[i]) {
			sum += power(c, d)
		}
		declared, _ := c.Event.Sensitivities[i].Float64()
		most = max(most, sum/declared)
	}
	return most
}

// treeOf writes a tree down from its definition, by level and index: NULL is split off first, then ranges are halved
// until one code is left.
func treeOf(counts []float64, s query.TreeShape) map[[2]int]float64 {
	out, values, level := map[[2]int]float64{}, counts[:s.Values], 0
	if s.Null {
		all := summation.InOrder(values)
		out[[2]int{0, 0}], level = all-counts[s.Values], 1
	}
	width := 1
	for width < s.Values {
		width *= 2
	}
	padded := append(append([]float64(nil), values...), make([]float64, width-s.Values)...)
	for ; width > 1; width, level = width/2, level+1 {
		for from := 0; from < len(padded); from += width {
			if from+width/2 >= s.Values {
				continue // not released
			}
			node := 0.0
			for v := range width {
				if v < width/2 {
					node += padded[from+v]
				} else {
					node -= padded[from+v]
				}
			}
			out[[2]int{level, from / width}] = node
		}
	}
	return out
}

// eachDifference visits the noise and the variance of all differences that a call released, if the table was t.
func eachDifference(c mechanism.Call, t table, visit func(noise, variance float64)) {
	for i, tree := range c.Release.Trees {
		counts := []float64(nil)
		for _, n := range t.Marginal(c.Request.Cliques[i]) {
			counts = append(counts, float64(n))
		}
		truth := treeOf(counts, c.Request.Shapes[i])
		for _, n := range tree.Nodes {
			visit(n.Difference-truth[[2]int{n.Level, n.Index}], tree.Variance)
		}
	}
}

// throughTrees asks for one tree alone: over four values and NULL. All of its differences are drawn, since the public
// total promises many records.
var throughTrees = method{"trees", []dp.Accounting{dp.ZCDP, dp.GaussianOnly},
	func(_ solver.Problem, c solver.Curator) (*solver.Result, error) {
		_, err := c.(rake.Curator).Trees("trees", 1, []domain.Clique{{0}}, []query.TreeShape{{Values: 4, Null: true, Own: []int{2}}}, 1e6, []float64{1}, dp.ShareOf(1, 1))
		return nil, err
	}}
