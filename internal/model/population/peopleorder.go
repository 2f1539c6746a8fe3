package population

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// byDependence returns attributes of persons in the order in which a person's rows should follow them, if no record agrees
// with all: by their mutual information with the attributes of events, for each bit that the attribute holds itself, so
// that the records to draw rows from are used up by what says most about rows.
func byDependence(m *Model, persons, events []int) []int {
	var cliques []domain.Clique
	for _, a := range persons {
		for _, b := range events {
			cliques = append(cliques, domain.NewClique(a, b))
		}
	}
	tables, worth, total := m.Marginals(cliques), map[int]float64{}, m.Total()
	one := map[int]float64{} // entropy of each attribute
	for _, a := range slices.Concat(persons, events) {
		one[a] = entropy(m.Marginal(domain.Clique{a}, nil), total)
	}
	for i, a := range persons {
		own := one[a]
		for j, b := range events {
			mutual := own + one[b] - entropy(tables[i*len(events)+j], total)
			worth[a] += mutual / max(own, 1e-9)
		}
	}
	out := slices.Clone(persons)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	return out
}

// entropy returns the entropy of counts with the given sum, in nats.
func entropy(counts []float64, sum float64) (h float64) {
	for _, n := range counts {
		if n > 0 {
			h -= float64(n / sum * math.Log(n/sum))
		}
	}
	return h
}
