package plan

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// Of the budget for pairs and wider tables together, pairs are taken to get this part: water-filling
// gives them about as much on the two tables that predictions were fitted on.
const pairPart = 0.8

// foreseen stands for what an adaptive method will measure: every pair alike, and as many triples as it
// measures at most, alike too. Such methods measure residuals, where a cell precision u costs c²·u of
// twice the capacity, c = Π(1−1/k): a table that is centred along each of its axes has c times the
// sensitivity² and c times the noise of one that is not.
func foreseen(p solver.Problem, accesses []solver.Access, capacity float64) []Noisy {
	budget, tables := 0.0, 0
	ones := 0.0
	for _, a := range accesses {
		if a.Marginals > tables {
			tables = a.Marginals
		}
		switch {
		case a.Marginals == 0:
		case a.Marginals <= len(p.Workload.Sizes) && ones == 0:
			ones = 2 * capacity * a.Share.Float()
		default:
			budget += 2 * capacity * a.Share.Float()
		}
	}
	var noisy []Noisy
	add := func(cliques []domain.Clique, budget float64) {
		for _, c := range cliques {
			left := 1.0
			for _, a := range c {
				left *= 1 - 1/float64(p.Workload.Sizes[a])
			}
			if left > 0 {
				noisy = append(noisy, Noisy{Clique: c, Variance: left * float64(len(cliques)) / budget})
			}
		}
	}
	byWidth := subcliques(p.Workload.Maximal().Cliques())
	pairs, triples := byWidth[2], byWidth[3]
	if n := max(0, tables-len(pairs)); len(triples) > n {
		triples = triples[:n]
	}
	add(byWidth[1], ones)
	if len(triples) == 0 {
		add(pairs, budget)
		return noisy
	}
	add(pairs, budget*pairPart)
	add(triples, budget*(1-pairPart))
	return noisy
}

// subcliques returns all cliques of one to three attributes inside the given ones, by their width.
func subcliques(cliques []domain.Clique) map[int][]domain.Clique {
	seen := map[string]bool{}
	byWidth := map[int][]domain.Clique{}
	var grow func(c, sub domain.Clique, next int)
	grow = func(c, sub domain.Clique, next int) {
		for i := next; i < len(c); i++ {
			larger := append(slices.Clone(sub), c[i])
			if key := larger.Key(); !seen[key] {
				seen[key] = true
				byWidth[len(larger)] = append(byWidth[len(larger)], larger)
			}
			if len(larger) < 3 {
				grow(c, larger, i+1)
			}
		}
	}
	for _, c := range cliques {
		grow(c, nil, 0)
	}
	for _, list := range byWidth {
		slices.SortFunc(list, domain.Clique.Compare)
	}
	return byWidth
}
