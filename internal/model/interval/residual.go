package interval

import (
	"math"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// measuredWidth is the most attributes of an interaction that residual fits score.
const measuredWidth = 3

// prior returns the variances of the cells of the interaction of a table of the given shape before it was measured. Each
// cell on its own would deviate from the fitted count b with the variance κ·b^1.5. An interaction sums to 0 along every
// axis, and so a deviation is shared with the cells beside it: what is left is the projection on such tables, whose
// variance in a cell is (1 − 2/k)·v + Σv/k² along each axis in turn. One factor keeps the expected distance, which κ was
// chosen for. On top of it come the counts themselves, which scatter by their root.
func prior(scale float64, fitted []float64, shape []int) []float64 {
	out, alone, shared := make([]float64, len(fitted)), 0.0, 0.0
	for i, b := range fitted {
		b = max(b, 0)
		out[i] = scale * b * math.Sqrt(b)
		alone += math.Sqrt(out[i])
	}
	inner := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if k := shape[axis]; k > 1 {
			share(out, k, inner)
		}
		inner *= shape[axis]
	}
	for _, v := range out {
		shared += math.Sqrt(v)
	}
	f := 1.0
	if shared > 0 {
		f = alone / shared
	}
	for i, b := range fitted {
		out[i] = f*f*out[i] + max(b, 0)
	}
	return out
}

// share replaces every variance v along an axis of k cells, inner apart, by the variance of the deviation from the axis' mean.
func share(x []float64, k, inner int) {
	size := float64(k)
	for from := 0; from < len(x); from += k * inner {
		for at := from; at < from+inner; at++ {
			sum := 0.0
			for i := at; i < at+k*inner; i += inner {
				sum += x[i]
			}
			for i := at; i < at+k*inner; i += inner {
				x[i] = (1-2/size)*x[i] + sum/(size*size)
			}
		}
	}
}

// room returns by how much the interaction of a table of 2·2·… cells can be off, if its sub-tables are right: all cells by the
// same count, with alternating signs, so that the smallest cell of either sign, and a record, is the most. +Inf of others.
func room(fitted []float64, shape []int) float64 {
	least := [2]float64{math.Inf(1), math.Inf(1)}
	for _, k := range shape {
		if k != 2 {
			return math.Inf(1)
		}
	}
	for i, b := range fitted {
		sign := bits.OnesCount(uint(i)) % 2
		least[sign] = min(least[sign], max(b, 0))
	}
	return 1 + max(least[0], least[1])
}

// roomOf is room for a table without its empty cells.
func (v *Intervals) roomOf(p *part, c domain.Clique) float64 {
	for _, a := range c {
		if v.sizes[a] != 2 {
			return math.Inf(1)
		}
	}
	least, cells := [2]float64{math.Inf(1), math.Inf(1)}, [2]int{}
	for j, b := range p.base {
		x := uint(0)
		for i := range c {
			x = x<<1 | uint(p.codes[i][j])
		}
		sign := bits.OnesCount(x) % 2
		least[sign], cells[sign] = min(least[sign], b), cells[sign]+1
	}
	for sign := range least {
		if cells[sign] < 1<<(len(c)-1) {
			least[sign] = 0
		}
	}
	return 1 + max(least[0], least[1])
}

// after returns the variances of an interaction with the given prior after its releases.
func after(t *solver.TableUncertainty, prior []float64, room float64) []float64 {
	for i, v := range prior {
		prior[i] = min(t.Variance(v), room*room)
	}
	return prior
}

// residual writes the standard errors of a model fitted to residuals, but for pooled values.
func (v *Intervals) residual(c domain.Clique, fitted, dst []float64) {
	var plain domain.Clique
	for _, a := range c {
		if v.sizes[a] > 1 { // else there is no interaction
			plain = append(plain, a)
		}
	}
	for i, b := range fitted {
		dst[i] = min(rounding, max(b, 0))
	}
	inside := v.toldInside(c, fitted)
	eachSubset(plain, measuredWidth, func(sub domain.Clique) { v.addPart(c, sub, inside, fitted, dst) })
	if len(plain) > measuredWidth {
		t := v.unscreened(measuredWidth, fitted) // stands for all wider interactions together
		for i, x := range after(t, prior(t.Scale, fitted, population.Shape(v.sizes, c)), math.Inf(1)) {
			dst[i] += x
		}
	}
	f := inflationOfTables
	switch len(plain) {
	case measuredWidth:
		f = inflationOfTriples
	case 2:
		f = inflationOfPairs
	case 1:
		f = 1 // noise is all that columns err by, and counts below 0 are none
	}
	for i, x := range dst {
		dst[i] = f * math.Sqrt(x)
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
func (v *Intervals) addPart(c, sub domain.Clique, inside []toldTable, fitted, dst []float64) {
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
	square := lists.Of(fitted, func(b float64) float64 { return b * b })
	p.Multiply(square, share)
	v.lift(inside, sub, square)
	for i, x := range square {
		dst[i] += x
	}
}

// centred returns the variance of the count of every value of a column, without the noise of their sum: what was released of other
// columns than learned ones are deviations from even values.
func (v *Intervals) centred(a int) []float64 {
	if v.uncertainty.Bins != nil && v.uncertainty.Bins[a] != nil {
		return v.oneWay[a]
	}
	out, noise := slices.Clone(v.oneWay[a]), v.uncertainty.OneWay[a]
	for code, x := range out {
		if x <= noise+v.totalVariance { // else the fit is further from the answer
			out[code] -= noise / float64(len(out))
		}
	}
	return out
}

// variances returns the variance of every cell of the interaction of c, whose table is fitted.
func (v *Intervals) variances(c domain.Clique, fitted []float64) []float64 {
	if len(c) == 1 {
		return v.centred(c[0])
	}
	t := v.tables[c.Key()]
	if t == nil {
		t = v.unscreened(len(c), fitted)
	}
	shape := population.Shape(v.sizes, c)
	return after(t, prior(t.Scale, fitted, shape), room(fitted, shape))
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
			x := math.Sqrt(min(rounding, max(fitted[cell], 0)) + s*s*variance + pairs*max(s*(1-s), 0))
			if !done[cell] || x < dst[cell] {
				dst[cell], done[cell] = x, true
			}
		})
	}
}

// pooledCells overwrites the variances of cells with pooled values: units with the same pooled value are assumed to have the
// correlation alike in where they fall.
func (v *Intervals) pooledCells(p *part, c domain.Clique) {
	for i, a := range c {
		if !slices.Contains(v.uncertainty.Pooled[a], true) {
			continue
		}
		counts := make([]float64, v.sizes[a])
		for j, b := range p.base {
			counts[p.codes[i][j]] += b
		}
		for j, b := range p.base {
			if v.uncertainty.Pooled[a][p.codes[i][j]] {
				p.beyond[j] = alike * b * counts[p.codes[i][j]]
				p.variance[j] = p.beyond[j] + (1-alike)*b
			}
		}
	}
}

// Inside returns how many people noise may hide at one end of a learned bin rather than at the other, as a standard deviation; 0 of
// other cells.
func (v *Intervals) Inside(a int, code domain.Code) float64 {
	if v.uncertainty == nil || v.uncertainty.Inside == nil || v.uncertainty.Inside[a] == nil {
		return 0
	}
	return v.uncertainty.Inside[a][code]
}
