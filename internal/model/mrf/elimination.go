package mrf

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Skeleton takes pairs, or wider cliques, in the given order, each if the graph of all kept ones can still be triangulated
// with at most maxCells cells, and returns those kept and the maximal cliques. It stops early once
// rejections in a row exceed four times the number of attributes.
func Skeleton(sizes []int, pairs []domain.Clique, maxCells float64) (kept, maximal []domain.Clique) {
	g := newGraph(sizes)
	maximal, _ = g.triangulate()
	rejected := 0
	for _, pair := range pairs {
		before := g.clone()
		g.join(pair)
		if cliques, cells := g.triangulate(); cells <= maxCells {
			kept, maximal, rejected = append(kept, pair), cliques, 0
			continue
		}
		g = before
		if rejected++; rejected > 4*len(sizes) {
			break
		}
	}
	return kept, maximal
}

// graph is an undirected graph over attributes with the logarithm of their sizes as weights.
type graph struct {
	weight []float64
	edges  []bitset // edges[a] holds the neighbours of a
}

func newGraph(sizes []int) *graph {
	g := &graph{weight: make([]float64, len(sizes)), edges: make([]bitset, len(sizes))}
	for a, s := range sizes {
		g.weight[a] = math.Log(float64(s))
		g.edges[a] = newBitset(len(sizes))
	}
	return g
}

func (g *graph) clone() *graph {
	c := &graph{weight: g.weight, edges: make([]bitset, len(g.edges))}
	for a, e := range g.edges {
		c.edges[a] = append(bitset(nil), e...)
	}
	return c
}

func (g *graph) join(c domain.Clique) {
	for _, a := range c {
		for _, b := range c {
			if a != b {
				g.edges[a].set(b)
			}
		}
	}
}

// triangulate returns the maximal cliques of a chordal graph that holds g, and the sum of their cells. Every attribute
// is in at least one of them. Greedy elimination removes vertices, each time the one with the lightest new clique, and
// joins the neighbours of each.
func (g *graph) triangulate() (maximal []domain.Clique, cells float64) {
	g = g.clone()
	cost := make([]float64, len(g.edges))
	for v := range cost {
		cost[v] = g.cost(v)
	}
	var found []bitset
	for range g.edges {
		v := floats.MinIdx(cost)
		clique := append(bitset(nil), g.edges[v]...)
		clique.set(v)
		if !slices.ContainsFunc(found, clique.within) {
			found, maximal = append(found, clique), append(maximal, clique.clique())
			cells += math.Exp(g.cost(v))
		}
		stale := g.remove(v)
		cost[v] = math.Inf(1)
		stale.each(func(u int) { cost[u] = g.cost(u) })
	}
	return maximal, cells
}

// remove joins the neighbours of v and takes v out. It returns the vertices whose costs may have
// changed: the neighbours, and their neighbours (an edge between two of these is no longer missing).
func (g *graph) remove(v int) bitset {
	near := g.edges[v]
	stale := append(bitset(nil), near...)
	near.each(func(u int) {
		g.edges[u].or(near)
		g.edges[u].clear(u)
		g.edges[u].clear(v)
		stale.or(g.edges[u])
	})
	g.edges[v] = newBitset(len(g.edges))
	return stale
}

// cost is the log number of cells of v's clique.
func (g *graph) cost(v int) float64 {
	sum := g.weight[v]
	g.edges[v].each(func(u int) { sum += g.weight[u] })
	return sum
}
