package mrf

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// JunctionTree is a tree of cliques with a belief for each: a dense table in linear space. After
// Calibrate every belief is the model's marginal on its clique.
type JunctionTree struct {
	sizes []int
	nodes []*node
}

type node struct {
	clique domain.Clique
	belief []float64
	links  []*link
}

// link is one direction of an edge of the tree.
type link struct {
	from, to    *node
	edge        *edge
	outof, into *population.Projection // of either clique on the separator
	back        *link                  // the other direction
}

// edge holds the marginal of the separator that both sides last agreed on.
type edge struct {
	clique domain.Clique
	belief []float64
	next   []float64
}

// NewJunctionTree joins the maximal cliques of a chordal graph, as Skeleton returns them, in a tree
// such that the cliques holding an attribute are connected. All beliefs are 1.
func NewJunctionTree(sizes []int, maximal []domain.Clique) *JunctionTree {
	t := &JunctionTree{sizes: sizes}
	for _, c := range maximal {
		t.nodes = append(t.nodes, &node{clique: c, belief: ones(sizes, c)})
	}
	t.span()
	return t
}

// span links the nodes in a spanning tree whose separators hold the most attributes in all, which is
// what makes it a junction tree (Prim's algorithm). Separate components share an empty separator.
func (t *JunctionTree) span() {
	widest, parent := slices.Repeat([]int{-1}, len(t.nodes)), make([]int, len(t.nodes))
	for u, joined := 0, 1; joined < len(t.nodes); joined++ {
		widest[u] = math.MaxInt // in the tree
		next := -1
		for v, n := range t.nodes {
			if widest[v] == math.MaxInt {
				continue
			}
			if w := len(intersect(t.nodes[u].clique, n.clique)); w > widest[v] {
				widest[v], parent[v] = w, u
			}
			if next < 0 || widest[v] > widest[next] {
				next = v
			}
		}
		t.link(t.nodes[parent[next]], t.nodes[next])
		u = next
	}
}

func (t *JunctionTree) link(u, v *node) {
	e := &edge{clique: intersect(u.clique, v.clique)}
	e.belief, e.next = ones(t.sizes, e.clique), ones(t.sizes, e.clique)
	pu, pv := population.NewProjection(t.sizes, u.clique, e.clique), population.NewProjection(t.sizes, v.clique, e.clique)
	there := &link{from: u, to: v, edge: e, outof: pu, into: pv}
	back := &link{from: v, to: u, edge: e, outof: pv, into: pu, back: there}
	there.back = back
	u.links, v.links = append(u.links, there), append(v.links, back)
}

// Cells returns the number of cells of all cliques together.
func (t *JunctionTree) Cells() int {
	sum := 0
	for _, n := range t.nodes {
		sum += len(n.belief)
	}
	return sum
}

// Covers reports whether some clique of the tree contains c.
func (t *JunctionTree) Covers(c domain.Clique) bool { return t.home(c) != nil }

// home returns the smallest node that contains c, or nil.
func (t *JunctionTree) home(c domain.Clique) *node {
	var best *node
	for _, n := range t.nodes {
		if (best == nil || len(n.belief) < len(best.belief)) && n.clique.Contains(c) {
			best = n
		}
	}
	return best
}

// mustHome is home for a caller who ought to have asked Covers.
func (t *JunctionTree) mustHome(c domain.Clique) *node {
	n := t.home(c)
	if n == nil {
		panic("mrf: clique outside every clique of the junction tree")
	}
	return n
}

// Multiply multiplies the model by a factor over c, at least 0 in every cell. The tree needs Calibrate
// afterwards. It panics unless the tree covers c.
func (t *JunctionTree) Multiply(c domain.Clique, factor []float64) {
	n := t.mustHome(c)
	population.NewProjection(t.sizes, n.clique, c).Multiply(n.belief, factor)
}

// Marginal writes the calibrated marginal of c to dst, which has one entry per cell, and returns dst. It
// panics unless the tree covers c.
func (t *JunctionTree) Marginal(c domain.Clique, dst []float64) []float64 {
	n := t.mustHome(c)
	return population.NewProjection(t.sizes, n.clique, c).Sum(dst, n.belief)
}

// Calibrate makes every belief the model's marginal, with the given sum. A model that is 0 everywhere
// stays 0. Cost: four passes over the cells of all cliques.
func (t *JunctionTree) Calibrate(total float64) {
	root := t.nodes[0]
	collect(root, nil)
	scale(root.belief, total/sum(root.belief))
	distribute(root, nil)
}

// collect sends messages towards n. Beliefs are brought to a maximum of 1 before and after each, so
// that products of many messages neither overflow nor vanish; the total is set at the root.
func collect(n, parent *node) {
	for _, l := range n.links {
		if l.to == parent {
			continue
		}
		collect(l.to, n)
		scale(l.to.belief, 1/slices.Max(l.to.belief))
		l.back.send()
		scale(n.belief, 1/slices.Max(n.belief))
	}
}

func distribute(n, parent *node) {
	for _, l := range n.links {
		if l.to != parent {
			l.send()
			distribute(l.to, n)
		}
	}
}

// send multiplies the receiver by what changed in the separator since both sides agreed: new/old, and 0
// if the old value was 0.
func (l *link) send() {
	e := l.edge
	l.outof.Sum(e.next, l.from.belief)
	for i, x := range e.next {
		if old := e.belief[i]; old > 0 {
			e.belief[i] = x / old
		} else {
			e.belief[i] = 0
		}
	}
	l.into.Multiply(l.to.belief, e.belief)
	e.belief, e.next = e.next, e.belief
}

func ones(sizes []int, c domain.Clique) []float64 {
	cells, err := c.Cells(sizes)
	if err != nil {
		panic("mrf: a clique whose cells cannot be counted")
	}
	return slices.Repeat([]float64{1}, int(cells))
}

func intersect(a, b domain.Clique) domain.Clique {
	var out domain.Clique
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			out = append(out, a[i])
			i, j = i+1, j+1
		}
	}
	return out
}

func sum(x []float64) float64 {
	return summation.InOrder(x)
}

// scale multiplies x by f, unless x is 0 and f therefore not finite.
func scale(x []float64, f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return
	}
	floats.Scale(f, x)
}
