package population

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// RoundingTV returns the error that writing rows adds: the mean over cliques of the total variation
// distance between the rows' marginal and the model's, both as shares. It is public, and costs one
// pass over the model and over the records that have rows, per clique. No cliques or no rows: 0.
func RoundingTV(m *Model, rows *Rows, cliques []domain.Clique) float64 {
	if rows.n == 0 || len(cliques) == 0 {
		return 0
	}
	total, sum := m.Total(), 0.0
	for i, counts := range rows.tables(m.Sizes, cliques) {
		distance := 0.0
		for c, w := range m.Marginal(cliques[i], nil) {
			distance += math.Abs(counts[c]/float64(rows.n) - w/total)
		}
		sum += distance / 2
	}
	return sum / float64(len(cliques))
}

// tables counts the rows in every cell of the marginals of cliques.
func (r *Rows) tables(sizes []int, cliques []domain.Clique) [][]float64 {
	counts := make([][]float64, len(cliques))
	for i, c := range cliques {
		cells, err := c.Cells(sizes)
		if err != nil {
			panic("population: table of a clique whose cells cannot be counted")
		}
		counts[i] = make([]float64, cells)
	}
	r.list.each(func(codes []domain.Code, copies int64) {
		for i, c := range cliques {
			counts[i][c.Cell(sizes, codes)] += float64(copies)
		}
	})
	return counts
}
