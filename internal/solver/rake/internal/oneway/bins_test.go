package oneway

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestBins: frequent values have bins of their own, there are as many as asked for, and few hold next to nothing.
func TestBins(t *testing.T) {
	pieces := []query.Piece{{From: 0, To: 1, Count: 5000}, {From: 1, To: 999, Count: 4000}, {From: 999, To: 1000, Count: 900}, {From: 1000, To: 100_000, Count: 100}}
	p := NewProfile(pieces, 100_000)
	starts := p.bins(20, 50, nil)
	must.Hold(t, len(starts) == 20 && contains(starts, 1) && contains(starts, 999) && contains(starts, 1000), "bins %v", starts)
	for i, from := range starts {
		to := 100_000
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		n := p.Between(from, to)
		must.Hold(t, n >= 50 && from < to, "bin %d … %d has %g records", from, to, n)
	}
	got := NewProfile([]query.Piece{{From: 0, To: 100}}, 100).bins(20, 5, nil)
	must.Hold(t, len(got) == 20, "%d bins of no records, want 20", len(got))
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// TestEmptyBinsJoin: learned bins that hold next to nothing have no code of their own, at which noise of pairs would put
// records. They share the code of the bin before them; NULL does not.
func TestEmptyBinsJoin(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 99}, Resolution: 1, Learned: 5, Null: true}}}
	one := Table{Counts: []float64{500, 300, 0, 1, 0, 200}, Sigma: 5, Own: []bool{5: true}, Learned: true, shrunk: true}
	m := Merge([]Table{one}, 1001, d)
	got := m.Codes[0]
	must.Need(t, slices.Equal(got, []domain.Code{0, 1, 1, 1, 1, 2}), "codes %v", got)
	within := m.Within[0]
	must.Hold(t, math.Abs(within[1]-300./301) <= 1e-6 && math.Abs(m.Base[0][1]-301./1001) <= 1e-6, "shares %v inside codes of %v", within, m.Base[0])
}

// TestBinSpread compares the variance of the counts of bins with their spread over many trees. Every halving is 3 : 1, so that no
// difference is held back. The seeds are fixed, so that nothing is left to chance.
func TestBinSpread(t *testing.T) {
	for _, x := range []struct {
		shape  query.TreeShape
		starts []int
	}{
		{query.TreeShape{Values: 64, Null: true}, []int{0, 1, 7, 8, 31, 32, 40}},
		{query.TreeShape{Values: 50}, []int{0, 3, 21, 22, 47}},
		{query.TreeShape{Values: 2}, []int{0, 1}},
	} {
		const sigma, draws = 10, 4000
		counts, total := make([]int64, x.shape.Codes()), int64(0)
		for v := range counts {
			counts[v] = 1000
			for bit := 1; bit < 64; bit *= 2 {
				if v&bit == 0 {
					counts[v] *= 3
				}
			}
			total += counts[v]
		}
		up, null := x.shape.Cumulative(counts)
		rng, spread, expected := rand.New(rand.NewPCG(1, 2)), 0.0, 0.0
		for range draws {
			tree := query.Tree{Shape: x.shape, Variance: sigma * sigma}
			pieces := x.shape.Descend(float64(total), sigma*sigma, func(level, index int) float64 {
				d := float64(x.shape.Difference(up, null, level, index)) + sigma*rng.NormFloat64()
				tree.Nodes = append(tree.Nodes, query.TreeNode{Level: level, Index: index, Difference: d})
				return d
			})
			p := NewProfile(pieces, x.shape.Codes())
			for b, from := range x.starts {
				to := x.shape.Values
				if b+1 < len(x.starts) {
					to = x.starts[b+1]
				}
				off := p.Between(from, to) - float64(up[to]-up[from])
				spread += off * off / float64(draws*len(x.starts))
			}
			expected += mean(binVariances(&tree, pieces, x.starts)[:len(x.starts)]) / draws
		}
		ratio := expected / spread
		must.Hold(t, math.Abs(ratio-1) <= .1, "%+v: counts of bins vary by %.1f, and %.1f was expected", x.shape, spread, expected)
	}
}
