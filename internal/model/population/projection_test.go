package population

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

func subsets(c domain.Clique) []domain.Clique {
	out := []domain.Clique{{}}
	for _, a := range c {
		for _, s := range out[:len(out):len(out)] {
			out = append(out, append(append(domain.Clique{}, s...), a))
		}
	}
	return out
}

func TestProjectionAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 1))
	sizes := []int{3, 2, 4, 1, 3}
	codes := make([]domain.Code, len(sizes))
	for _, c := range subsets(domain.Clique{0, 1, 2, 3, 4}) {
		u := Model{Sizes: Shape(sizes, c)} // the clique's table as a universe of its own
		n, _ := c.Cells(sizes)
		table := make([]float64, n)
		for _, sub := range subsets(c) {
			m, _ := sub.Cells(sizes)
			sum, factor, want := make([]float64, m), make([]float64, m), make([]float64, n)
			for i := range factor {
				factor[i] = rng.Float64()
			}
			p := NewProjection(sizes, c, sub)
			name := fmt.Sprintf("%v on %v", c, sub)
			for i := range table {
				table[i] = rng.Float64()
				for j, v := range u.Record(i, make([]domain.Code, len(c))) {
					codes[c[j]] = v
				}
				cell := sub.Cell(sizes, codes)
				sum[cell] += table[i]
				want[i] = table[i] * factor[cell]
				if p.Cell(i) != cell {
					t.Fatalf("%s: cell %d maps to %d, want %d", name, i, p.Cell(i), cell)
				}
			}
			closeTo(t, name+" sum", p.Sum(make([]float64, m), table), sum)
			p.Multiply(table, factor)
			closeTo(t, name+" product", table, want)
		}
	}
}
