package dense

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// maxRun is the largest product of adjacent axes that one node sums out, so that long sums are split
// over several nodes and each is short enough to need no care with rounding.
const maxRun = 4096

// Plan is the tree of shared axis sums for a list of cliques over one universe. It holds no numbers of
// the universe's size, and may be shared by several oracles.
type Plan struct {
	sizes   []int
	cliques []domain.Clique
	cells   []int           // of each clique
	queries []*query.Linear // asked of each clique's marginal; nil: its cells
	answers []int           // of each clique: cells or queries
	k       int             // of the universe
	nodes   []node
	arena   int // cells of all tables that live at one time, without the universe
}

// node is one table: its parent's, seen as [outer][axis][inner], summed over axis. Node 0 is the
// universe itself.
type node struct {
	outer, axis, inner int
	offset, size       int   // of its table in the arena
	leaves             []int // cliques whose marginal this table is
	children           []int
}

// NewPlan plans the marginals of the cliques over a universe with the given attribute sizes. It panics
// on a size below 1 and on a clique whose attributes are not ascending positions in sizes.
func NewPlan(sizes []int, cliques []domain.Clique) *Plan {
	p := &Plan{sizes: slices.Clone(sizes), k: 1}
	var axes domain.Clique
	for a, s := range sizes {
		if s < 1 {
			panic("dense: attribute of size below 1")
		}
		p.k *= s
		if s > 1 {
			axes = append(axes, a)
		}
	}
	pending := make([]int, len(cliques))
	thin := make([]domain.Clique, len(cliques))
	for i, c := range cliques {
		pending[i] = i
		thin[i] = p.add(c)
	}
	p.nodes = []node{{size: p.k}}
	p.grow(0, axes, thin, pending)
	p.queries, p.answers = make([]*query.Linear, len(cliques)), p.cells
	return p
}

// PlanOf plans the answers to a workload: marginals and linear queries. It panics if NewPlan does, and on queries of
// another clique.
func PlanOf(w query.Workload) *Plan {
	p := NewPlan(w.Sizes, w.Cliques())
	p.answers = slices.Clone(p.cells)
	for i, m := range w.Marginals {
		if m.Queries == nil {
			continue
		}
		if m.Queries.Cells() != p.cells[i] {
			panic("dense: queries of another clique")
		}
		p.queries[i], p.answers[i] = m.Queries, m.Queries.Queries()
	}
	return p
}

// add appends a clique and returns it without its attributes of size 1.
func (p *Plan) add(c domain.Clique) domain.Clique {
	var thin domain.Clique
	cells := 1
	for i, a := range c {
		if a < 0 || a >= len(p.sizes) || (i > 0 && c[i-1] >= a) {
			panic("dense: clique attributes must be ascending positions in the domain")
		}
		cells *= p.sizes[a]
		if p.sizes[a] > 1 {
			thin = append(thin, a)
		}
	}
	p.cliques = append(p.cliques, slices.Clone(c))
	p.cells = append(p.cells, cells)
	return thin
}

// grow hangs everything below node at, whose table has the given axes, that the cliques in pending need:
// tables without the axes that none of them has, or else first the tables of those that lack the
// largest axis that some lack, then the others' nodes.
func (p *Plan) grow(at int, axes domain.Clique, cliques []domain.Clique, pending []int) {
	var rest []int
	for _, i := range pending {
		if cliques[i].Equal(axes) {
			p.nodes[at].leaves = append(p.nodes[at].leaves, i)
		} else {
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 {
		return
	}
	uses := make([]int, len(p.sizes))
	for _, i := range rest {
		for _, a := range cliques[i] {
			uses[a]++
		}
	}
	if lo, hi := p.longestRun(axes, uses); hi > lo {
		child := p.sumOut(at, axes, lo, hi)
		p.grow(child, slices.Delete(slices.Clone(axes), lo, hi), cliques, rest)
		return
	}
	split := -1
	for _, a := range axes {
		if uses[a] < len(rest) && (split < 0 || p.sizes[a] > p.sizes[split]) {
			split = a
		}
	}
	has := func(i int) bool { return slices.Contains(cliques[i], split) }
	p.grow(at, axes, cliques, slices.DeleteFunc(slices.Clone(rest), has))
	p.grow(at, axes, cliques, slices.DeleteFunc(rest, func(i int) bool { return !has(i) }))
}

// longestRun returns the run axes[lo:hi] of unused axes with the largest product up to maxRun.
func (p *Plan) longestRun(axes domain.Clique, uses []int) (lo, hi int) {
	best := 1
	for i := range axes {
		product := 1
		for j := i; j < len(axes) && uses[axes[j]] == 0; j++ {
			if product *= p.sizes[axes[j]]; j > i && product > maxRun {
				break
			}
			if product > best {
				best, lo, hi = product, i, j+1
			}
		}
	}
	return lo, hi
}

// sumOut adds the child of node at that sums axes[lo:hi] out, and returns its number.
func (p *Plan) sumOut(at int, axes domain.Clique, lo, hi int) int {
	product := func(c domain.Clique) int {
		n := 1
		for _, a := range c {
			n *= p.sizes[a]
		}
		return n
	}
	n := node{outer: product(axes[:lo]), axis: product(axes[lo:hi]), inner: product(axes[hi:])}
	n.size = n.outer * n.inner
	if at > 0 {
		n.offset = p.nodes[at].offset + p.nodes[at].size
	}
	p.arena = max(p.arena, n.offset+n.size)
	p.nodes = append(p.nodes, n)
	child := len(p.nodes) - 1
	p.nodes[at].children = append(p.nodes[at].children, child)
	return child
}
