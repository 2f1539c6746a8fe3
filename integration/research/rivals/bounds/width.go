package bounds

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Width estimates the Gaussian width of the cells of marginals: the mean, over ξ ~ N(0, I) on the universe, of the
// largest |Σ ξ(z) over the cells z of a cell of a marginal|. It returns the mean of some draws, and its standard error.
//
// The universe is not looked at. The part of ξ that a marginal A sees is a sum of independent parts, one for each subset
// B of A: normal numbers on B's cells, centred along each axis. A draw costs the cells of all subsets.
func Width(sizes []int, cliques []domain.Clique, draws int, seed uint64) (mean, standardError float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	parts := subsets(cliques)
	whole := 1.0
	for _, k := range sizes {
		whole *= float64(k)
	}
	var sum, squares float64
	for range draws {
		drawn := map[string][]float64{}
		for _, b := range parts {
			drawn[b.Key()] = centredNormal(sizes, b, whole, rng)
		}
		worst := 0.0
		for _, a := range cliques {
			worst = max(worst, largest(sizes, a, drawn))
		}
		sum += worst
		squares += worst * worst
	}
	n := float64(draws)
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
}

// subsets returns every subset of a clique once, the empty one too.
func subsets(cliques []domain.Clique) (all []domain.Clique) {
	seen := map[string]bool{}
	for _, c := range cliques {
		for mask := range 1 << len(c) {
			var b domain.Clique
			for i, a := range c {
				if mask>>i&1 == 1 {
					b = append(b, a)
				}
			}
			if key := b.Key(); !seen[key] {
				seen[key] = true
				all = append(all, b)
			}
		}
	}
	return all
}

// centredNormal draws what the cells of b add to a sum over all cells that agree with one of them on more attributes,
// before it is multiplied by the cells of the universe for each of the larger marginal's.
func centredNormal(sizes []int, b domain.Clique, whole float64, rng *rand.Rand) []float64 {
	cells := 1
	for _, a := range b {
		cells *= sizes[a]
	}
	x := make([]float64, cells)
	scale := math.Sqrt(float64(cells) / whole) // of the mean of the cells that agree on b
	for i := range x {
		x[i] = rng.NormFloat64() * scale
	}
	inner := 1
	for _, a := range slices.Backward(b) {
		centre(x, sizes[a], inner)
		inner *= sizes[a]
	}
	return x
}

// centre subtracts the mean over the middle axis of x, of shape (outer, size, inner).
func centre(x []float64, size, inner int) {
	for o := 0; o < len(x); o += size * inner {
		for i := range inner {
			sum := 0.0
			for v := range size {
				sum += x[o+v*inner+i]
			}
			for v := range size {
				x[o+v*inner+i] -= sum / float64(size)
			}
		}
	}
}

// largest returns the largest |sum| of a's cells, given what was drawn for each subset.
func largest(sizes []int, a domain.Clique, drawn map[string][]float64) float64 {
	cells, rest := 1, 1.0
	for _, i := range a {
		cells *= sizes[i]
	}
	for i, k := range sizes {
		if !a.Contains(domain.Clique{i}) {
			rest *= float64(k)
		}
	}
	sum, codes := make([]float64, cells), make([]domain.Code, len(sizes))
	for _, b := range subsets([]domain.Clique{a}) {
		part := drawn[b.Key()]
		for c := range sum {
			left := c
			for _, i := range slices.Backward(a) {
				codes[i], left = domain.Code(left%sizes[i]), left/sizes[i]
			}
			sum[c] += part[b.Cell(sizes, codes)]
		}
	}
	worst := 0.0
	for _, x := range sum {
		worst = max(worst, math.Abs(x)*rest)
	}
	return worst
}
