package evaluate

import "math"

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
	lo, width := h.Edges[0], h.Edges[1]-h.Edges[0] // the last bin may be narrower
	for _, side := range []struct {
		from []float64
		to   []float64
		rows int
	}{{x, h.Real, rows}, {y, h.Synthetic, others}} {
		for _, v := range side.from {
			side.to[int(max(0, min((v-lo)/width, float64(n-1))))] += 1 / float64(side.rows)
		}
	}
	return h
}

// stepOf returns the largest number that all differences of whole numbers are multiples of; 0 if there are others among
// them, and 1 if there is one number alone.
func stepOf(x []float64) float64 {
	step := 0.0
	for _, v := range x {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
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

// equalEdges cuts the middle of the true column into equal bins.
func (h *Histogram) equalEdges(x []float64) {
	lo, hi := x[len(x)/200], x[len(x)-1-len(x)/200]
	if lo == hi {
		lo, hi = lo-.5, hi+.5
	}
	for i := range fractionBins + 1 {
		h.Edges = append(h.Edges, lo+(hi-lo)*float64(i)/fractionBins)
	}
}
