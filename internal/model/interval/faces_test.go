package interval

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// largePart is an interaction of five attributes with nearly all of their cells, and variances that differ by factors.
func largePart(rng *rand.Rand) (p part, sizes []int) {
	sizes = []int{5, 4, 6, 5, 4}
	t := Table{Clique: domain.Clique{0, 1, 2, 3, 4}, Codes: make([][]domain.Code, 5)}
	for cell := range 5 * 4 * 6 * 5 * 4 {
		code, x := make([]domain.Code, 5), cell
		for i := 4; i >= 0; i-- {
			code[i], x = domain.Code(x%sizes[i]), x/sizes[i]
		}
		if rng.IntN(10) > 0 {
			t.add(code, rng.ExpFloat64())
		}
	}
	g := newGrouper(sizes, &t, measuredWidth)
	of, _ := g.group(t.Clique)
	p = part{of: of, codes: t.Codes, base: t.Fitted}
	for range p.base {
		p.variance = append(p.variance, rng.ExpFloat64())
	}
	p.beyond = p.variance
	for _, sub := range marginal.Subsets(domain.All(5), measuredWidth) {
		lower, cells := g.group(sub)
		p.faces = append(p.faces, face{sub, lower, len(cells)})
	}
	return p, sizes
}

// TestFewCells: with fewer cells a query's variance is never smaller, and not much larger.
func TestFewCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	p, sizes := largePart(rng)
	classes := make([][]domain.Code, 5)
	for i, k := range sizes {
		for code := range k {
			classes[i] = append(classes[i], domain.Code(min(code, 2)))
		}
	}
	merged := p
	merged.merge(classes, domain.Clique{0, 1, 2, 3, 4})
	n := len(merged.base)
	must.Need(t, n >= 200 && n <= 3*3*3*3*3, "%d cells", n)
	for range 50 {
		in, means := [5]domain.Code{}, make([]float64, len(p.base))
		for i := range in {
			in[i] = domain.Code(rng.IntN(2))
		}
		of := make([]float64, len(merged.base))
		for j := range means {
			inside := true
			for i, codes := range p.codes {
				inside = inside && (codes[j] == in[i] || i == 2 && codes[j] < 2) // two codes of attribute 2
			}
			if inside {
				means[j] = 1 + float64(p.codes[2][j])
				of[merged.of[j]] = means[j]
			}
		}
		whole := (&rest{slices.Clone(means), p.variance, nil, p.faces}).left()
		for name, x := range map[string]float64{"few": p.few(means, p.variance).left(), "merged": (&rest{of, merged.variance, nil, merged.faces}).left()} {
			must.Hold(t, x >= whole*(1-5*slight) && x <= 1.6*whole, "%s: variance %g, of all cells %g", name, x, whole)
		}
	}
	q := make([]float64, len(p.base))
	for j := range q {
		q[j] = float64(j + 1)
	}
	must.Hold(t, p.few(q, p.variance) == nil, "a query that tells all cells apart has fewer")
}
