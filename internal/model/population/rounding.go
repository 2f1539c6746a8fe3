package population

import "github.com/dapple-dp/dapple/dp/domain"

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
