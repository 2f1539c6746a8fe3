package dense

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// Uniform returns the uniform distribution over the possible cells of the universe. It panics if there
// is none, which a valid domain rules out.
func Uniform(sizes []int, x domain.Exclusions) []float64 {
	k := 1
	for _, s := range sizes {
		k *= s
	}
	p := slices.Repeat([]float64{1}, k)
	fill(p, sizes, x, 0)
	n := summation.Long(p)
	if n == 0 {
		panic("dense: no cell of the universe is possible")
	}
	for z := range p {
		p[z] /= n
	}
	return p
}

// Forbid sets the logits of impossible cells to −Inf, from which no finite step leads back, and returns
// logits.
func Forbid(logits []float64, sizes []int, x domain.Exclusions) []float64 {
	fill(logits, sizes, x, math.Inf(-1))
	return logits
}

func fill(v []float64, sizes []int, x domain.Exclusions, with float64) {
	if len(x) == 0 {
		return
	}
	x.Cells(domain.All(len(sizes)), sizes, func(z int) { v[z] = with })
}
