package rake

import (
	"math"
	"slices"
)

// haar writes a table as means and differences of neighbours at every scale, undecimated, along one axis after the other.
// What is kept of the differences smooths it.
type haar struct {
	axes   []int // that are ordered
	levels int   // scales along each, at most
	// keep replaces differences of two halves of width cells, with noise of standard deviation sigma, by what is kept of them.
	keep func(differences []float64, sigma float64, width int)
}

// smooth smooths x, of the given shape and with noise of standard deviation sigma, in place along the axes from number i on. If
// width is above 0, x holds differences of the halves of so many cells.
func (w *haar) smooth(x []float64, shape []int, i int, sigma float64, width int) {
	if i == len(w.axes) {
		if width > 0 {
			w.keep(x, sigma, width)
		}
		return
	}
	at := w.axes[i]
	k, inner := shape[at], 1
	for _, n := range shape[at+1:] {
		inner *= n
	}
	levels := min(w.levels, int(math.Log2(float64(max(k, 1)))))
	pad := 1 << levels
	n := k + 2*pad
	padded := slices.Clone(shape)
	padded[at] = n
	outer := len(x) / (k * inner)
	mean := make([]float64, outer*n*inner) // of 2^level cells from each place on; mirrored at both ends
	for o := range outer {
		for j := range n {
			copy(mean[(o*n+j)*inner:][:inner], x[(o*k+mirrored(j-pad, k))*inner:][:inner])
		}
	}
	differences := make([][]float64, levels)
	for l := range differences {
		d, next := make([]float64, len(mean)), make([]float64, len(mean))
		for o := range outer {
			for j := range n {
				a, b := mean[(o*n+j)*inner:][:inner], mean[(o*n+(j+1<<l)%n)*inner:][:inner]
				for c := range inner {
					next[(o*n+j)*inner+c], d[(o*n+j)*inner+c] = (a[c]+b[c])/2, (a[c]-b[c])/2
				}
			}
		}
		mean, differences[l] = next, d
	}
	w.smooth(mean, padded, i+1, sigma/math.Sqrt(float64(pad)), width)
	for l := levels - 1; l >= 0; l-- {
		h, d := 1<<l, differences[l]
		w.smooth(d, padded, i+1, sigma/math.Sqrt(float64(2*h)), 2*h)
		finer := make([]float64, len(mean))
		for o := range outer {
			for j := range n { // each mean is found twice
				here, before := (o*n+j)*inner, (o*n+(j-h+n)%n)*inner
				for c := range inner {
					finer[here+c] = (mean[here+c] + d[here+c] + mean[before+c] - d[before+c]) / 2
				}
			}
		}
		mean = finer
	}
	for o := range outer {
		copy(x[o*k*inner:][:k*inner], mean[(o*n+pad)*inner:])
	}
}

// mirrored returns the place in 0 … k−1 that i stands for, of a row that is reflected at both ends.
func mirrored(i, k int) int {
	i = (i%(2*k) + 2*k) % (2 * k)
	return min(i, 2*k-1-i)
}
