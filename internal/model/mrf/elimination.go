package mrf

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Skeleton takes pairs, or wider cliques, in the given order, each if the graph of all kept ones can still be triangulated
// with at most maxCells cells, and returns those kept and the maximal cliques. It stops early once
// rejections in a row exceed four times the number of attributes.
func Skeleton(sizes []int, pairs []domain.Clique, maxCells float64, rng *rand.Rand) (kept, maximal []domain.Clique) {
	g := newGraph(sizes)
	maximal, _ = g.triangulate(1, rng)
	rejected := 0
	for _, pair := range pairs {
		before := g.clone()
		g.join(pair)
		if cliques, cells := g.triangulate(4, rng); cells <= maxCells {
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
// is in at least one of them.
//
// It runs greedy elimination tries times and keeps the smallest sum of cells: the even tries take the
// vertex with the lightest new clique, the odd ones that with the lightest fill, and all but the first
// two break near-ties at random.
func (g *graph) triangulate(tries int, rng *rand.Rand) ([]domain.Clique, float64) {
	var best []bitset
	least := math.Inf(1)
	for try := 0; try < tries; try++ {
		noise := 0.0
		if try > 1 {
			noise = .5
		}
		if found, cells := g.clone().eliminate(try%2 == 1, noise, rng); cells < least || best == nil {
			best, least = found, cells
		}
	}
	return lists.Of(best, func(s bitset) domain.Clique { return s.clique() }), least
}

// eliminate removes all vertices, each time the one of least cost, joining its neighbours. It returns
// the maximal cliques met and the sum of their cells; the graph is used up.
func (g *graph) eliminate(byFill bool, noise float64, rng *rand.Rand) (cliques []bitset, cells float64) {
	cost := make([]float64, len(g.edges))
	for v := range cost {
		cost[v] = g.cost(v, byFill, noise, rng)
	}
	for range g.edges {
		v := floats.MinIdx(cost)
		clique := append(bitset(nil), g.edges[v]...)
		clique.set(v)
		if !containedIn(cliques, clique) {
			cliques = append(cliques, clique)
			cells += math.Exp(g.sum(clique))
		}
		stale := g.remove(v)
		cost[v] = math.Inf(1)
		stale.each(func(u int) { cost[u] = g.cost(u, byFill, noise, rng) })
	}
	return cliques, cells
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

// cost is the log number of cells of v's clique, or the weight of the edges that removing v adds.
func (g *graph) cost(v int, byFill bool, noise float64, rng *rand.Rand) float64 {
	c := g.weight[v] + g.sum(g.edges[v])
	if byFill {
		c = g.fill(v) + 1e-3*c
	}
	if noise > 0 {
		c += noise * rng.Float64() * (1 + .1*c)
	}
	return c
}

func (g *graph) sum(s bitset) float64 {
	w := 0.0
	s.each(func(u int) { w += g.weight[u] })
	return w
}

// fill adds weight(u)·weight(w) over the pairs of neighbours of v that are not joined.
func (g *graph) fill(v int) float64 {
	near, sum := g.edges[v], 0.0
	near.each(func(u int) {
		missing := 0.0
		for i := range near {
			for x := near[i] &^ g.edges[u][i]; x != 0; x &= x - 1 {
				if w := i*64 + bits.TrailingZeros64(x); w != u {
					missing += g.weight[w]
				}
			}
		}
		sum += g.weight[u] * missing
	})
	return sum
}

func containedIn(sets []bitset, s bitset) bool {
	for _, t := range sets {
		if s.within(t) {
			return true
		}
	}
	return false
}
