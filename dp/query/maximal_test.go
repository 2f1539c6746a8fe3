package query

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func randomWorkload(rng *rand.Rand) Workload {
	w := Workload{Sizes: slices.Repeat([]int{2}, 14)}
	seen := map[string]bool{}
	for range rng.IntN(30) {
		c := domain.NewClique(rng.Perm(14)[:rng.IntN([]int{4, 14}[rng.IntN(2)])]...)
		if !seen[c.Key()] {
			seen[c.Key()] = true
			w.Marginals = append(w.Marginals, Marginal{Clique: c, Weight: 1 + float64(rng.IntN(5))})
		}
	}
	return w
}

func TestMaximalAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 500 {
		w := randomWorkload(rng)
		var want []Marginal
		for i, a := range w.Marginals {
			maximal := true
			for j, b := range w.Marginals {
				maximal = maximal && (i == j || !b.Clique.Contains(a.Clique))
				if a.Clique.Contains(b.Clique) {
					a.Weight = max(a.Weight, b.Weight)
				}
			}
			if maximal {
				want = append(want, a)
			}
		}
		got := w.Maximal().Marginals
		must.Need(t, slices.EqualFunc(got, want, func(a, b Marginal) bool { return a.Clique.Equal(b.Clique) && a.Weight == b.Weight }),
			"workload %v: got %v, want %v", w.Marginals, got, want)
	}
}

func TestMaximalDropsRepeats(t *testing.T) {
	w := Workload{Sizes: []int{2, 2}, Marginals: []Marginal{{Clique: domain.Clique{0, 1}, Weight: 1}, {Clique: domain.Clique{0}, Weight: 3}, {Clique: domain.Clique{0, 1}, Weight: 2}}}
	got := w.Maximal().Marginals
	must.Hold(t, len(got) == 1 && got[0].Weight == 3, "got %v, want one marginal of weight 3", got)
}
