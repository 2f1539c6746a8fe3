package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/internal/model/marginal"
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

// cramersV is Cramér's V of a table of shares; 0 if a column of it is constant.
func cramersV(table []float64, rows, columns int) float64 {
	v := marginal.CramersV(rows, columns, func(visit func(a, b int, n float64)) {
		for i, x := range table {
			visit(i/columns, i%columns, x)
		}
	})
	if math.IsNaN(v) {
		return 0
	}
	return min(1, v)
}
