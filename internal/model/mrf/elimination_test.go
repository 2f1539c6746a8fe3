package mrf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// checkMaximal checks what a junction tree needs: every clique and attribute is covered, no maximal
// clique holds another, and the cells add up.
func checkMaximal(t *testing.T, s shape, maximal []domain.Clique, cells float64) {
	t.Helper()
	want := append([]domain.Clique(nil), s.cliques...)
	for a := range s.sizes {
		want = append(want, domain.Clique{a})
	}
	for _, c := range want {
		must.Hold(t, find(maximal, c), "%s: clique %v is not covered by %v", s.name, c, maximal)
	}
	sum := 0.0
	for i, c := range maximal {
		n, _ := c.Cells(s.sizes)
		sum += float64(n)
		for j, other := range maximal {
			must.Hold(t, i == j || !other.Contains(c), "%s: %v is inside %v", s.name, c, other)
		}
	}
	must.Hold(t, math.Abs(sum-cells) <= 1e-6*sum, "%s: %g cells, want %g", s.name, cells, sum)
}

func TestTriangulate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, s := range shapes() {
		for tries := 1; tries <= 6; tries++ {
			maximal, cells := triangulated(s.sizes, s.cliques, tries, rng)
			checkMaximal(t, s, maximal, cells)
			checkRunningIntersection(t, s.name, NewJunctionTree(s.sizes, maximal))
		}
	}
}

// checkRunningIntersection holds that the nodes with an attribute are connected: in a tree, exactly when
// there is one separator less than nodes for it.
func checkRunningIntersection(t *testing.T, name string, tree *JunctionTree) {
	t.Helper()
	for a := range tree.sizes {
		nodes, sides := 0, 0
		for _, n := range tree.nodes {
			if n.clique.Contains(domain.Clique{a}) {
				nodes++
			}
			for _, l := range n.links {
				if l.edge.clique.Contains(domain.Clique{a}) {
					sides++
				}
			}
		}
		must.Hold(t, nodes == sides/2+1, "%s: attribute %d in %d nodes and %d separators", name, a, nodes, sides/2)
	}
}

func TestTriangulateFindsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	// A ring of n attributes of size k needs n−2 triangles.
	sizes := []int{4, 4, 4, 4, 4, 4}
	ring := []domain.Clique{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}}
	_, cells := triangulated(sizes, ring, 2, rng)
	must.Hold(t, math.Abs(cells-4*64) <= 1e-6, "ring: %g cells, want 256", cells)
	// A star of pairs around an attribute stays a star.
	star := []domain.Clique{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}
	if _, cells := triangulated(sizes, star, 1, rng); math.Abs(cells-5*16) > 1e-6 {
		t.Errorf("star: %g cells, want 80", cells)
	}
}

// TestTriangulateRandomGraphs runs the junction tree's conditions on graphs of up to 80 attributes,
// which need two words of a set.
func TestTriangulateRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for trial := 0; trial < 60; trial++ {
		s := shape{name: "random", sizes: make([]int, 2+rng.IntN(79))}
		for a := range s.sizes {
			s.sizes[a] = 2 // so that trees of wide cliques stay small
		}
		for range len(s.sizes) * 5 / 4 {
			a := rng.IntN(len(s.sizes))
			if b := min(len(s.sizes)-1, a+1+rng.IntN(4)); a != b {
				s.cliques = append(s.cliques, domain.NewClique(a, b))
			}
		}
		maximal, cells := triangulated(s.sizes, s.cliques, 4, rng)
		checkMaximal(t, s, maximal, cells)
		checkRunningIntersection(t, s.name, NewJunctionTree(s.sizes, maximal))
	}
}

func TestSkeletonKeepsToItsCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	sizes := make([]int, 30)
	for a := range sizes {
		sizes[a] = 2 + rng.IntN(20)
	}
	var pairs []domain.Clique
	for a := range sizes {
		for b := a + 1; b < len(sizes); b++ {
			pairs = append(pairs, domain.Clique{a, b})
		}
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for _, limit := range []float64{1, 1e3, 1e5} {
		kept, maximal := Skeleton(sizes, pairs, limit, rng)
		total := 0.0
		for _, c := range maximal {
			n, _ := c.Cells(sizes)
			total += float64(n)
		}
		must.Hold(t, (limit != 1 || len(kept) <= 0) && (limit <= 1 || total <= limit*(1+1e-9) && len(kept) >= 10),
			"limit %g: %d pairs kept, %g cells", limit, len(kept), total)
		checkRunningIntersection(t, "skeleton", NewJunctionTree(sizes, maximal))
		for _, p := range kept {
			must.Hold(t, find(maximal, p), "limit %g: kept %v is in no clique", limit, p)
		}
	}
}

func find(cliques []domain.Clique, c domain.Clique) bool {
	for _, m := range cliques {
		if m.Contains(c) {
			return true
		}
	}
	return false
}

// triangulated returns the maximal cliques of a chordal graph in which the attributes of each of the given cliques are
// joined, and the sum of their cells.
func triangulated(sizes []int, cliques []domain.Clique, tries int, rng *rand.Rand) ([]domain.Clique, float64) {
	g := newGraph(sizes)
	for _, c := range cliques {
		g.join(c)
	}
	return g.triangulate(tries, rng)
}
