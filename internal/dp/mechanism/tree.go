package mechanism

import (
	"errors"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// trees plans the release of trees of differences: integers plus integer noise. All differences of a tree are
// charged; those that query.TreeShape.Descend does not visit are not drawn.
func (g *gate) trees(r Request) (plan, error) {
	if len(r.Cliques) == 0 || len(r.Shapes) != len(r.Cliques) {
		panic("mechanism: release of no trees, or as many shapes as trees are needed")
	}
	if err := checkPrecision(r.Cliques, r.Precision); err != nil {
		return plan{}, err
	}
	if !inRange(r.Total) {
		return plan{}, errors.New("the total is not between -2^40 and 2^40 counts")
	}
	parts := make([]accountant.Centred, len(r.Cliques))
	for i, s := range r.Shapes {
		if len(r.Cliques[i]) != 1 || g.cells(r.Cliques[i]) != s.Codes() {
			panic("mechanism: a tree of another shape than its attribute")
		}
		delta := s.L2Squared(g.relation)
		if delta == 0 {
			return plan{}, errors.New("a tree over a single code has no differences")
		}
		parts[i] = accountant.Centred{Precision: r.Precision[i], Left: big.NewRat(1, 1),
			L2Squared: big.NewRat(int64(delta), 1), L1: treeL1(g.relation, delta), Cells: int64(s.Codes())}
	}
	event, err := g.ledger.Residuals(parts, r.Share)
	if err != nil {
		return plan{}, err
	}
	samplers, err := samplersFor(event)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		in := noise.NewInputs().Text(string(r.Method)).Int64s([]int64{int64(event.GridBits), bits(r.Total)})
		counts := make([][]int64, len(r.Cliques))
		for i, c := range r.Cliques {
			counts[i] = g.marginal(c)
			in.Text(c.Key()).Int64(int64(r.Shapes[i].Values)).Int64s(counts[i]).Rat(event.Scales[i])
			if own := r.Shapes[i].Own; own != nil {
				in.Int64s(ints(own))
			}
		}
		src := g.open(r.Stage, r.Round, in.Sum())
		release := Release{Trees: make([]query.Tree, len(r.Cliques))}
		for i := range r.Cliques {
			release.Trees[i] = g.drawTree(r.Shapes[i], counts[i], r.Total, event.Variance(i), func() (int64, int) {
				return samplers[i].Draw(src), event.GridBits
			})
		}
		return release
	}}, nil
}

// treeL1 returns the L1 sensitivity of a tree from the squared L2 sensitivity. Every difference that a record changes, it
// changes by 1, but for one that a replaced record changes by 2: where its two values separate.
func treeL1(n dp.Neighbouring, squared dp.L2Squared) dp.L1 {
	if n == dp.Replace {
		squared -= 2*2 - 2
	}
	return dp.L1(squared)
}

// drawTree releases the differences that Descend asks for.
func (g *gate) drawTree(s query.TreeShape, counts []int64, total, variance float64, draw func() (int64, int)) query.Tree {
	up, null := s.Cumulative(counts)
	t := query.Tree{Shape: s, Variance: variance}
	s.Descend(total, variance, func(level, index int) float64 {
		z, gridBits := draw()
		y := inCounts(s.Difference(up, null, level, index), g.weightBits, z, gridBits)
		t.Nodes = append(t.Nodes, query.TreeNode{Level: level, Index: index, Difference: y})
		return y
	})
	return t
}

// coarsen plans the change to coarser codes, a function of public values: it reads nothing and costs nothing.
func (g *gate) coarsen(r Request) (plan, error) {
	g.checkRecoding(r.Merge)
	return plan{free: true, draw: func() Release {
		if c, ok := g.counts.(coarsener); ok {
			g.counts = c.Coarsen(r.Merge)
		} else {
			g.counts = coarser{g.counts, r.Merge, g.sizes}
		}
		g.sizes = r.Merge.Sizes(g.sizes)
		return Release{}
	}}, nil
}

// coarsener can be implemented by Counts that answer marginals on coarser codes faster than by summing those on all
// codes.
type coarsener interface {
	// Coarsen returns the counts on coarser codes. Marginals on all codes are not requested any more.
	Coarsen(codes query.Recoding) Counts
}

// coarser adds up marginals.
type coarser struct {
	Counts
	codes query.Recoding
	sizes []int
}

func (c coarser) Marginal(clique domain.Clique) []int64 {
	return c.codes.Merge(clique, c.sizes, c.Counts.Marginal(clique))
}
