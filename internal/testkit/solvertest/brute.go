package solvertest

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// Cell returns the cell of clique c that contains cell z of the universe.
func Cell(sizes []int, c domain.Clique, z int) int {
	codes := make([]int, len(sizes))
	for a := len(sizes) - 1; a >= 0; a-- {
		codes[a] = z % sizes[a]
		z /= sizes[a]
	}
	x := 0
	for _, a := range c {
		x = x*sizes[a] + codes[a]
	}
	return x
}

// Marginals returns the marginals of p, one cell of the universe at a time.
func Marginals(sizes []int, cliques []domain.Clique, p []float64) query.Answers {
	out := make(query.Answers, len(cliques))
	for i, c := range cliques {
		n := 1
		for _, a := range c {
			n *= sizes[a]
		}
		out[i] = make([]float64, n)
		for z, v := range p {
			out[i][Cell(sizes, c, z)] += v
		}
	}
	return out
}

// Errors returns the largest cell error and the average total variation distance between answers a and
// b, each divided by its own total. All marginals must have the same totals.
func Errors(a, b query.Answers) (largest, tv float64) {
	na, nb := total(a), total(b)
	for i := range a {
		for c := range a[i] {
			e := math.Abs(a[i][c]/na - b[i][c]/nb)
			largest = max(largest, e)
			tv += e / 2 / float64(len(a))
		}
	}
	return largest, tv
}

func total(a query.Answers) float64 {
	return summation.InOrder(a[0])
}
