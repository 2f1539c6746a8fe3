package marginal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func table(rows int, sizes ...int) (columns [][]domain.Code) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range sizes {
		col := make([]domain.Code, rows)
		for i := range col {
			col[i] = domain.Code(rng.IntN(k))
		}
		columns = append(columns, col)
	}
	return columns
}

// Counts of every width equal the counts of numbers written digit by digit, over several blocks.
func TestCount(t *testing.T) {
	sizes, rows := []int{3, 2, 5, 4, 2}, 2*Block+7
	columns := table(rows, sizes...)
	for _, c := range []domain.Clique{{}, {2}, {1, 3}, {0, 2, 4}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}} {
		cells := must.Value(c.Cells(sizes))(t)
		got, want := make([]int64, cells), make([]int64, cells)
		Count(got, sizes, c, columns, rows)
		for r := range rows {
			x := 0
			for _, a := range c {
				x = x*sizes[a] + int(columns[a][r])
			}
			want[x]++
		}
		must.Hold(t, slices.Equal(got, want), "clique %v: counts differ", c)
	}
}
