package evaluate

import (
	"math"
	"slices"
)

const (
	fractionBins = 32 // of numbers that are not whole
	wholeBins    = 64 // at most, of whole ones
)

// newHistogram counts two ascending columns; nil if the true one has no value.
func newHistogram(x, y []float64, rows, others int) *Histogram {
	if len(x) == 0 {
		return nil
	}
	h := &Histogram{}
	if h.Step = stepOf(x); h.Step > 0 {
		h.wholeEdges(x, y)
	} else {
		h.equalEdges(x)
	}
	n := len(h.Edges) - 1
	h.Real, h.Synthetic = make([]float64, n), make([]float64, n)
	for _, v := range x {
		h.Real[h.bin(v)] += 1 / float64(rows)
	}
	for _, v := range y {
		h.Synthetic[h.bin(v)] += 1 / float64(others)
	}
	return h
}

// bin returns the bin that a value is in, the outer one if it lies outside.
func (h *Histogram) bin(v float64) int {
	at, found := slices.BinarySearch(h.Edges, v)
	if !found {
		at--
	}
	return min(max(at, 0), len(h.Edges)-2)
}

// stepOf returns the largest number that all differences of whole numbers are multiples of; 0 if there are others among
// them, and 1 if there is one number alone.
func stepOf(x []float64) float64 {
	step := 0.0
	for _, v := range x {
		if v != math.Trunc(v) || math.Abs(v) > exactly/2 { // differences are to be exact too
			return 0
		}
		for d := v - x[0]; d > 0; { // Euclid's algorithm
			step, d = d, math.Mod(step, d)
		}
	}
	return max(step, 1)
}

// wholeEdges makes one bin of each value, or of equally many steps.
func (h *Histogram) wholeEdges(x, y []float64) {
	lo, hi := x[0], x[len(x)-1]
	if len(y) > 0 {
		lo, hi = lo-h.Step*max(0, math.Ceil((lo-y[0])/h.Step)), max(hi, y[len(y)-1])
	}
	if (hi-lo)/h.Step >= wholeBins {
		lo, hi = x[len(x)/200], x[len(x)-1-len(x)/200]
	}
	values := math.Floor((hi-lo)/h.Step) + 1
	width := h.Step * math.Ceil(values/wholeBins)
	for e := lo; e <= hi; e += width {
		h.Edges = append(h.Edges, e)
	}
	h.Edges = append(h.Edges, min(h.Edges[len(h.Edges)-1]+width, hi+h.Step))
}

// equalEdges cuts the middle of the true column into equal bins: as many as there are numbers to cut at.
func (h *Histogram) equalEdges(x []float64) {
	lo, hi := x[len(x)/200], x[len(x)-1-len(x)/200]
	if lo == hi {
		lo, hi = min(lo-.5, math.Nextafter(lo, math.Inf(-1))), max(hi+.5, math.Nextafter(hi, math.Inf(1)))
	}
	lo, hi = max(lo, -math.MaxFloat64), min(hi, math.MaxFloat64)
	add := func(e float64) {
		if n := len(h.Edges); n == 0 || e > h.Edges[n-1] {
			h.Edges = append(h.Edges, e)
		}
	}
	for i := range fractionBins {
		part := float64(i) / fractionBins
		if width := hi - lo; !math.IsInf(width, 0) {
			add(lo + width*part)
		} else {
			add(lo*(1-part) + hi*part)
		}
	}
	add(hi)
	if len(h.Edges) <= fractionBins { // the last number has a bin too
		h.Edges = append(h.Edges, min(math.Nextafter(hi, math.Inf(1)), math.MaxFloat64))
	}
}
