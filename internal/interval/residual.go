package interval

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/population"
)

// measuredWidth is the most attributes of an interaction that residual fits score.
const measuredWidth = 3

// prior returns the variance of a cell of base b, in a table with so many cells of all units, before it was measured.
func (v *Intervals) prior(scale, b float64, cells int) float64 {
	b = max(b, 0) + max(softening, evenPart*v.units/float64(cells))
	return scale * b * math.Sqrt(b)
}

// residual writes the standard errors of a model fitted to residuals, but for pooled values.
func (v *Intervals) residual(c domain.Clique, fitted, dst []float64) {
	var plain domain.Clique
	for _, a := range c {
		if v.sizes[a] > 1 { // else there is no interaction
			plain = append(plain, a)
		}
	}
	for i := range dst {
		dst[i] = rounding
	}
	eachSubset(plain, measuredWidth, func(sub domain.Clique) { v.addPart(c, sub, fitted, dst) })
	if len(plain) > measuredWidth {
		t := v.unscreened(measuredWidth, fitted) // stands for all wider interactions together
		for i, b := range fitted {
			dst[i] += t.Variance(v.prior(t.Scale, b, len(fitted))) + max(b, 0) // and counts of people scatter by their root
		}
	}
	for i, x := range dst {
		dst[i] = inflation * math.Sqrt(x)
	}
}

// eachSubset visits the subsets of c with 1 to most attributes.
func eachSubset(c domain.Clique, most int, visit func(domain.Clique)) {
	var sub domain.Clique
	var grow func(from int)
	grow = func(from int) {
		for i := from; i < len(c) && len(sub) < most; i++ {
			sub = append(sub, c[i])
			visit(slices.Clone(sub))
			grow(i + 1)
			sub = sub[:len(sub)-1]
		}
	}
	grow(0)
}

// addPart adds the variance that the interaction of sub brings to every cell of c.
func (v *Intervals) addPart(c, sub domain.Clique, fitted, dst []float64) {
	p := population.NewProjection(v.sizes, c, sub)
	cells, _ := sub.Cells(v.sizes) // no more than c has
	share := p.Sum(make([]float64, cells), fitted)
	variance := v.variances(sub, share)
	if len(sub) == len(c) {
		for i, x := range variance {
			dst[i] += x
		}
		return
	}
	for i, b := range share {
		share[i] = variance[i] / max(b*b, math.SmallestNonzeroFloat32)
	}
	square := make([]float64, len(fitted))
	for i, b := range fitted {
		square[i] = b * b
	}
	p.Multiply(square, share)
	for i, x := range square {
		dst[i] += x
	}
}

// variances returns the variance of every cell of the interaction of c, whose table is fitted.
func (v *Intervals) variances(c domain.Clique, fitted []float64) []float64 {
	if len(c) == 1 {
		return v.oneWay[c[0]]
	}
	t := v.tables[c.Key()]
	if t == nil {
		t = v.unscreened(len(c), fitted)
	}
	out := make([]float64, len(fitted))
	for i, b := range fitted {
		out[i] = t.Variance(v.prior(t.Scale, b, len(fitted)))
	}
	return out
}

// pooled overwrites the standard errors of cells with pooled values. The count n of such a value is known with
// variance σ² from its one-way table; its share s in the cell is a guess. If the units of the value were independent,
// the cell would have the variance n·s·(1 − s), and if all were in one cell n²·s·(1 − s): they are assumed to have
// the correlation alike. Of several pooled values the most informative is used.
func (v *Intervals) pooled(c domain.Clique, fitted, dst []float64) {
	done := make([]bool, len(dst))
	for i, a := range c {
		if !slices.Contains(v.uncertainty.Pooled[a], true) {
			continue
		}
		counts := population.NewProjection(v.sizes, c, domain.Clique{a}).Sum(make([]float64, v.sizes[a]), fitted)
		even := float64(v.sizes[a]) / float64(len(fitted)) // one count, spread over the value's cells
		eachCell(v.sizes, c, i, func(cell, code int) {
			if !v.uncertainty.Pooled[a][code] {
				return
			}
			n, variance := counts[code], v.oneWay[a][code]
			s := (fitted[cell] + even) / (n + 1)
			pairs := n + alike*(n*n+variance-n)
			x := math.Sqrt(rounding + s*s*variance + pairs*max(s*(1-s), 0))
			if !done[cell] || x < dst[cell] {
				dst[cell], done[cell] = x, true
			}
		})
	}
}
