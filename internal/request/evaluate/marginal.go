package evaluate

import (
	"context"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/background"
	"github.com/dapple-dp/dapple/internal/model/marginal"
)

// closedWidth is the width up to which the marginals inside wider ones are compared too.
const closedWidth = 3

// compared returns the cliques to compare, each once, in the order of domain.Clique.Compare:
// the workload's marginals, and the marginals of at most closedWidth attributes that they contain.
func compared(w query.Workload) []domain.Clique {
	seen := map[string]bool{}
	var cliques []domain.Clique
	add := func(c domain.Clique) {
		if key := c.Key(); !seen[key] {
			seen[key] = true
			cliques = append(cliques, slices.Clone(c))
		}
	}
	for _, m := range w.Tables().Marginals {
		add(m.Clique)
		for width := 1; width <= closedWidth; width++ {
			for _, c := range marginal.Subsets(m.Clique, width) {
				add(c)
			}
		}
	}
	slices.SortFunc(cliques, domain.Clique.Compare)
	return cliques
}

// distance is the difference of two tables on one marginal, in shares of rows.
type distance struct {
	cells   int64
	tv      float64 // ½ Σ |difference|
	largest float64
}

// difference compares counts of tables with n and m rows, below 2³¹. Sums are taken of the integers
// |x·m − y·n|, at most 2·n·m: TV is the same in whatever order it is summed.
func difference(x, y []int32, n, m int) distance {
	unit := 1 / (float64(n) * float64(m))
	sum, largest := int64(0), int64(0)
	for c := range x {
		e := int64(x[c])*int64(m) - int64(y[c])*int64(n)
		e = max(e, -e)
		sum += e
		largest = max(largest, e)
	}
	return distance{cells: int64(len(x)), tv: float64(sum) * unit / 2, largest: float64(largest) * unit}
}

// maxCounted is the largest number of cells of a marginal: two arrays of 4 bytes a cell for each core.
const maxCounted = 1 << 27

// scratch holds the counts of one marginal in two tables.
type scratch struct{ x, y []int32 }

func (s *scratch) count(truth, other *Table, c domain.Clique) (x, y []int32) {
	cells, err := c.Cells(truth.Sizes)
	if err != nil || cells > maxCounted {
		panic("evaluate: a marginal is too large to be counted")
	}
	if int64(cap(s.x)) < cells {
		s.x, s.y = make([]int32, cells), make([]int32, cells)
	}
	x, y = s.x[:cells], s.y[:cells]
	truth.count(x, c)
	other.count(y, c)
	return x, y
}

// distances compares the two tables on every clique, on all cores.
func distances(ctx context.Context, truth, other *Table, cliques []domain.Clique) ([]distance, error) {
	out := make([]distance, len(cliques))
	err := background.OnAllCores(ctx, len(cliques), func(next func() (int, bool)) {
		var s scratch
		for i, ok := next(); ok; i, ok = next() {
			x, y := s.count(truth, other, cliques[i])
			out[i] = difference(x, y, truth.Rows, other.Rows)
		}
	})
	return out, err
}
