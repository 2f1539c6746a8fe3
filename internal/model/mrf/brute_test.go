package mrf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// shape is one structure of cliques over five attributes.
type shape struct {
	name    string
	sizes   []int
	cliques []domain.Clique
}

// shapes are the structures that every operation is tested on.
func shapes() []shape {
	return []shape{
		{"tree", []int{2, 3, 2, 4, 3}, []domain.Clique{{0, 1}, {1, 2}, {1, 3}, {3, 4}}},
		{"cycle", []int{3, 2, 4, 2, 3}, []domain.Clique{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}},
		{"missing attribute", []int{2, 3, 2, 4, 3}, []domain.Clique{{0, 1}, {1, 4}}},
		{"two components", []int{2, 3, 2, 4, 3}, []domain.Clique{{0, 1}, {2, 3, 4}}},
		{"singletons", []int{2, 3, 1, 4, 3}, []domain.Clique{{0}, {2}, {4}}},
		{"permuted duplicate", []int{2, 3, 2, 4, 3}, []domain.Clique{domain.NewClique(2, 0), domain.NewClique(0, 2), {1, 2}}},
		{"nested", []int{2, 3, 2, 4, 3}, []domain.Clique{{0}, {0, 1}, {0, 1, 2}, {1, 2}, {2, 3}}},
		{"empty clique", []int{2, 3, 2, 4, 3}, []domain.Clique{{}, {0, 1}}},
		{"no cliques", []int{2, 3, 2, 4, 3}, nil},
		{"full", []int{2, 3, 2, 2, 3}, []domain.Clique{{0, 1, 2, 3, 4}}},
		{"triples", []int{2, 3, 2, 4, 3}, []domain.Clique{{0, 1, 2}, {1, 2, 3}, {0, 3, 4}}},
		{"one attribute", []int{5}, []domain.Clique{{0}}},
	}
}

// universe is the joint table, cell by cell.
type universe struct {
	sizes []int
	mass  []float64
}

func newUniverse(sizes []int) *universe {
	k := 1
	for _, s := range sizes {
		k *= s
	}
	u := &universe{sizes: sizes, mass: make([]float64, k)}
	for i := range u.mass {
		u.mass[i] = 1
	}
	return u
}

// cells calls visit with each joint cell and its cell of c.
func (u *universe) cells(c domain.Clique, visit func(joint, cell int)) {
	codes := make([]domain.Code, len(u.sizes))
	for i := range u.mass {
		for a, rest := len(u.sizes)-1, i; a >= 0; a-- {
			codes[a] = domain.Code(rest % u.sizes[a])
			rest /= u.sizes[a]
		}
		visit(i, c.Cell(u.sizes, codes))
	}
}

func (u *universe) multiply(c domain.Clique, factor []float64) {
	u.cells(c, func(joint, cell int) { u.mass[joint] *= factor[cell] })
}

func (u *universe) marginal(c domain.Clique) []float64 {
	out := ones(u.sizes, c)
	clear(out)
	u.cells(c, func(joint, cell int) { out[cell] += u.mass[joint] })
	return out
}

func (u *universe) normalise(total float64) { scale(u.mass, total/sum(u.mass)) }

// randomFactor has entries over six orders of magnitude, and some that are 0.
func randomFactor(sizes []int, c domain.Clique, rng *rand.Rand) []float64 {
	f := ones(sizes, c)
	for i := range f {
		f[i] = math.Exp(3 * rng.NormFloat64())
		if len(f) > 1 && rng.IntN(12) == 0 && i > 0 {
			f[i] = 0
		}
	}
	return f
}

func subsets(c domain.Clique) []domain.Clique {
	out := []domain.Clique{{}}
	for _, a := range c {
		for _, s := range out[:len(out):len(out)] {
			out = append(out, append(append(domain.Clique{}, s...), a))
		}
	}
	return out
}

func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance {
			t.Fatalf("%s: cell %d: got %g, want %g", what, i, got[i], want[i])
		}
	}
}
