package domain

import (
	"math"
	"slices"
	"sort"
)

// Split returns the attribute with further cut points and, for each of its cells, the cell of a that it is part of
// and its share of that cell's mass, according to the distribution of a's values. A cut point that separates no
// values of a cell is ignored. at is in the native unit; floats is for FLOAT64. Bins of a must not be still to be
// learned.
func (a *Attribute) Split(at []int64, floats []float64) (out *Attribute, of []Code, share []float64) {
	out = new(Attribute)
	*out = *a
	switch {
	case len(a.FloatCuts) > 1 && len(floats) > 0:
		slices.Sort(floats)
		out.FloatCuts, of, share = divided(a.FloatCuts, func(b int) ([]float64, []float64) { return a.splitFloats(b, floats) })
	case len(a.Cuts) > 1 && len(at) > 0:
		slices.Sort(at)
		out.Cuts, of, share = divided(a.Cuts, func(b int) ([]int64, []float64) { return a.splitBin(b, at) })
	}
	for b := len(of); len(of) < out.Size(); b++ { // categories, other and NULL
		code := b
		if b >= out.Bins() {
			code = b - out.Bins() + a.Bins()
		}
		of, share = append(of, Code(code)), append(share, 1)
	}
	return out, of, share
}

// divided returns the cut points of all parts of bins, the bin of each part, and its share of it. split returns the
// start of each part of a bin, and their shares.
func divided[T any](cuts []T, split func(b int) ([]T, []float64)) (all []T, of []Code, share []float64) {
	last := len(cuts) - 1
	for b := range last {
		begin, parts := split(b)
		all, share = append(all, begin...), append(share, parts...)
		of = append(of, slices.Repeat([]Code{Code(b)}, len(begin))...)
	}
	return append(all, cuts[last]), of, share
}

// splitBin returns the start of each part of bin b, and their shares.
func (a *Attribute) splitBin(b int, at []int64) (begin []int64, share []float64) {
	lo, hi := a.multiples(b)
	begin, from := []int64{a.Cuts[b]}, []int64{lo}
	for _, v := range at {
		k := a.atLeast(v)
		if k > from[len(from)-1] && k <= hi {
			begin, from = append(begin, a.cutAt(k)), append(from, k)
		}
	}
	first, _ := a.span()
	numbers := make([]float64, len(from)+1)
	for i, k := range append(from, hi+1) {
		numbers[i] = float64(k - first)
	}
	return begin, a.sharesOf(numbers)
}

// atLeast returns the first multiple that a value of at least v is written for.
func (a *Attribute) atLeast(v int64) int64 {
	first, last := a.span()
	below, above := outside(a.Exact, a.Cuts)
	low, high := first+int64(len(below)), last-int64(len(above)) // the range between them
	switch {
	case len(below) > 0 && v <= below[len(below)-1]:
		return first + int64(sort.Search(len(below), func(i int) bool { return below[i] >= v }))
	case len(above) > 0 && v > a.written(high):
		return high + 1 + int64(sort.Search(len(above), func(i int) bool { return above[i] >= v }))
	}
	k := ceilDiv(v, a.Resolution)
	if len(below)+len(above) > 0 {
		k = min(max(k, low), high)
	}
	switch { // an exact value may be on the other side of v than its multiple
	case a.written(k-1) >= v && (len(below) == 0 || k > low):
		k--
	case a.written(k) < v:
		k++
	}
	return k
}

// cutAt is where a bin begins whose first value is written for multiple k.
func (a *Attribute) cutAt(k int64) int64 {
	first, last := a.span()
	below, above := outside(a.Exact, a.Cuts)
	if k-first < int64(len(below)) || last-k < int64(len(above)) {
		return k * a.Resolution
	}
	return min(a.written(k), k*a.Resolution)
}

// splitFloats is splitBin for FLOAT64.
func (a *Attribute) splitFloats(b int, at []float64) (begin []float64, share []float64) {
	g := newGrid(a, b)
	begin = []float64{g.lo}
	if g.resolution == 0 {
		edges := []float64{g.lo}
		for _, v := range at {
			if v > edges[len(edges)-1] && v < g.hi {
				edges = append(edges, v)
			}
		}
		for i, v := range edges {
			to := g.hi
			if i+1 < len(edges) {
				to = edges[i+1]
			}
			share = append(share, (to/2-v/2)/(g.hi/2-g.lo/2))
		}
		return edges, share
	}
	from := []float64{g.first}
	below, above := outside(a.FloatExact, a.FloatCuts)
	whole := newGrid(a.whole(), 0)
	for _, v := range at {
		k := math.Ceil(v/g.resolution) - 2
		if len(below)+len(above) > 0 {
			k = max(g.first, min(k, whole.last-float64(len(above))))
		}
		for k < g.last && a.writtenFloat(&g, k) < v {
			k++
		}
		if k > from[len(from)-1] && k <= g.last && a.writtenFloat(&g, k) >= v {
			x := g.multiple(k)
			if k-whole.first >= float64(len(below)) && whole.last-k >= float64(len(above)) {
				x = min(x, a.writtenFloat(&g, k))
			}
			if x == g.hi { // the last bin is closed, and its cut points differ
				x = math.Nextafter(x, math.Inf(-1))
			}
			begin, from = append(begin, x), append(from, k)
		}
	}
	numbers := make([]float64, len(from)+1)
	for i, k := range append(from, g.last+1) {
		numbers[i] = k - whole.first
	}
	return begin, a.sharesOf(numbers)
}

// sharesOf returns the shares of consecutive ranges of values: numbers[i] … numbers[i+1]−1 of all.
func (a *Attribute) sharesOf(numbers []float64) []float64 {
	share, sum := make([]float64, len(numbers)-1), 0.0
	d := a.Distribution()
	for i := range share {
		share[i] = numbers[i+1] - numbers[i]
		if d != nil {
			share[i] = d.Below(numbers[i+1]) - d.Below(numbers[i])
		}
		sum += share[i]
	}
	for i := range share {
		if sum > 0 {
			share[i] /= sum
		} else {
			share[i] = (numbers[i+1] - numbers[i]) / (numbers[len(numbers)-1] - numbers[0])
		}
	}
	return share
}
