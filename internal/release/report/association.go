package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// pair is two columns and how closely they are associated.
type pair struct {
	Names [2]string
	V     float64
	Text  string
}

// strongest is how many pairs are listed.
const strongest = 12

// association returns Cramér's V of every pair whose marginal is published, as the model has it.
func (p Page) association() (page.Heat, []pair) {
	n := p.Domain.Len()
	h := page.Heat{Title: "Association of columns, by Cramér's V", Names: p.Domain.Names(), Values: make([][]float64, n)}
	for i := range h.Values {
		h.Values[i] = slices.Repeat([]float64{math.NaN()}, n)
	}
	var list []pair
	sizes := p.Domain.Sizes()
	for i := range p.Marginals {
		m := &p.Marginals[i]
		if len(m.Clique) != 2 {
			continue
		}
		a, b := m.Clique[0], m.Clique[1]
		v := cramersV(m.Fitted, sizes[a], sizes[b])
		h.Values[a][b], h.Values[b][a] = v, v
		list = append(list, pair{Names: [2]string{h.Names[a], h.Names[b]}, V: v})
	}
	slices.SortStableFunc(list, func(x, y pair) int { return cmp.Compare(y.V, x.V) })
	list = list[:min(len(list), strongest)]
	for i := range list {
		list[i].Text = fixed(list[i].V, 2)
	}
	return h, list
}

// cramersV is √(χ²/(n·(k−1))) of a table of shares, k the smaller of the numbers of its rows and columns that
// hold anything; 0 if one of these is 1.
func cramersV(table []float64, rows, columns int) float64 {
	r, c := make([]float64, rows), make([]float64, columns)
	for i, x := range table {
		r[i/columns] += x
		c[i%columns] += x
	}
	held := func(x []float64) (n int) {
		for _, v := range x {
			if v > 0 {
				n++
			}
		}
		return n
	}
	k := min(held(r), held(c))
	if k < 2 {
		return 0
	}
	sum := 0.0
	for i, x := range table {
		if e := r[i/columns] * c[i%columns]; e > 0 {
			sum += x * x / e
		}
	}
	// χ²/n = Σ x²/(r·c) − 1 for shares that sum to 1.
	return math.Sqrt(min(1, max(0, (sum-1)/float64(k-1))))
}
