package privacy

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/mechanism"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dptest"
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
				if err := p.Domain.Validate(); err != nil {
					t.Fatal(err)
				}
				x := randomTable(rng, p.Domain.RecordSizes())
				if n == dp.Replace && len(x.records) == 0 {
					x = x.with([][]domain.Code{corner(x.sizes)})
				}
				y := neighbour(rng, n, x)
				record, err := replay(t, throughRake, p, kind, x, y)
				if err != nil {
					t.Fatalf("pair %d: %v", i, err)
				}
				for _, c := range record {
					if c.Request.Method == mechanism.Coarsen {
						x, y = x.coarsened(c.Request.Merge), y.coarsened(c.Request.Merge)
						continue
					}
					change, declared := changeOf(c, x, y)
					if change > declared {
						t.Errorf("pair %d: %s changes by %g, declared %g", i, c.Request.Method, change, declared)
					}
					if c.Request.Method == mechanism.Trees {
						used, trees = max(used, change/declared), trees+1
					}
				}
			}
			if used < .9999 || trees == 0 {
				t.Errorf("%v: no pair attains the declared sensitivity of a tree: largest %g of it, %d releases", n, used, trees)
			}
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

// treesChange returns the largest part of its declared squared sensitivity by which a tree changes. The tree is written
// down from its definition: ranges are halved until one code is left, and NULL is split off first.
func treesChange(c mechanism.Call, x, y table) (most float64) {
	for i, q := range c.Request.Cliques {
		d, s := difference(q, x, y), c.Request.Shapes[i]
		sum, values := 0.0, d[:s.Values]
		if s.Null {
			all := 0.0
			for _, v := range values {
				all += v
			}
			sum += squared(all - d[s.Values])
		}
		width := 1
		for width < s.Values {
			width *= 2
		}
		padded := append(append([]float64(nil), values...), make([]float64, width-s.Values)...)
		for ; width > 1; width /= 2 {
			for from := 0; from < len(padded); from += width {
				node := 0.0
				for v := range width {
					if v < width/2 {
						node += padded[from+v]
					} else {
						node -= padded[from+v]
					}
				}
				if from+width/2 < s.Values { // else it is not released
					sum += node * node
				}
			}
		}
		declared, _ := c.Event.Sensitivities[i].Float64()
		most = max(most, sum/declared)
	}
	return most
}
