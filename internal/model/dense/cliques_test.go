package dense_test

import (
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
)

// cliqueSet is a named list of cliques.
type cliqueSet struct {
	name    string
	cliques []domain.Clique
}

// cliqueSets returns the shapes of workload that have caught mistakes, over d ≥ 3 attributes: a tree, a
// cycle, one without the last attribute, the full clique, singletons, nested ones of all widths, the
// same clique twice with its attributes in another order, the empty clique, and no clique.
func cliqueSets(d int) []cliqueSet {
	var tree, cycle, missing, single, nested []domain.Clique
	all := make([]int, d)
	for i := range d {
		all[i] = i
		single = append(single, domain.NewClique(i))
		cycle = append(cycle, domain.NewClique(i, (i+1)%d))
		nested = append(nested, domain.NewClique(all[:i+1]...), domain.NewClique(d-1-i, d-1))
		if i > 0 {
			tree = append(tree, domain.NewClique((i-1)/2, i))
		}
		if i < d-1 {
			missing = append(missing, domain.NewClique(i, (i+1)%(d-1)))
		}
	}
	return []cliqueSet{
		{"tree", tree},
		{"cycle", cycle},
		{"missing attribute", missing},
		{"full", []domain.Clique{all}},
		{"singletons", single},
		{"nested", nested},
		{"permuted duplicate", []domain.Clique{domain.NewClique(0, 2), domain.NewClique(1), domain.NewClique(2, 0)}},
		{"empty clique", []domain.Clique{{}, domain.NewClique(1)}},
		{"none", nil},
	}
}

// randomSizes returns d sizes of 1 to largest; about one in six is 1.
func randomSizes(rng *rand.Rand, d, largest int) []int {
	s := make([]int, d)
	for i := range s {
		s[i] = 1 + rng.IntN(largest)
		if rng.IntN(6) == 0 {
			s[i] = 1
		}
	}
	return s
}

// randomCliques returns n random cliques of any widths over d attributes.
func randomCliques(rng *rand.Rand, n, d int) []domain.Clique {
	c := make([]domain.Clique, n)
	for i := range c {
		c[i] = domain.NewClique(rng.Perm(d)[:rng.IntN(d+1)]...)
	}
	return c
}
