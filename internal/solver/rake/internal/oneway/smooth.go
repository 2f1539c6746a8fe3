package oneway

import (
	"math"
	"slices"
)

// LeastSmoothed is the fewest values of a table whose neighbours are compared.
const LeastSmoothed = 4

// smooth returns the estimate of counts with noise of standard deviation sigma, in the order of their values.
//
// The counts are written as a mean and differences of neighbours at every scale (Haar, undecimated), whose noise is
// known. At each scale the differences are shrunk to posterior means under a prior that they choose themselves: a
// mixture of 0 and normal laws of any width. Where neighbours are alike differences vanish, and noise with them; a
// peak is many standard deviations high and stays. Values without order show differences at the finest scale, which
// then is hardly shrunk. Against one factor for all of the table (James, Stein): total variation −7 % on adult14 at
// ε = .1, −3 % at 1.
//
// Sources: Coifman, Donoho 1995 (averages over all shifts); Stephens 2017 (adaptive shrinkage).
func smooth(counts []float64, sigma float64) []float64 {
	k := len(counts)
	if k < LeastSmoothed || !(sigma > 0) {
		return slices.Clone(counts)
	}
	out, pad := slices.Clone(counts), 1<<int(math.Log2(float64(k)))
	h := Haar{Axes: []int{0}, Levels: pad, Keep: func(d []float64, sigma float64, width int) {
		NewShrinkage(d[pad-width:pad+k], sigma).Apply(d)
	}}
	h.Smooth(out, []int{k}, 0, sigma, 0)
	return out
}

// shrinkage is a prior of numbers that are known with noise: a mixture of normal laws around 0.
type shrinkage struct {
	noise   float64   // variance
	weights []float64 // of the laws
	widths  []float64 // their variances, rising from 0
	part    []float64 // scratch: the share of each law in a number
}

const (
	priorRounds = 30 // of expectation and maximisation
	priorOfNone = 2  // numbers of no signal that the prior believes to have seen
)

// NewShrinkage returns the prior of largest likelihood of x, known with noise of standard deviation sigma. Widths
// double from half of the noise to twice the largest number.
func NewShrinkage(x []float64, sigma float64) *shrinkage {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	s := &shrinkage{noise: sigma * sigma, widths: []float64{0}}
	for w := sigma / 2; w < 2*largest; w *= 2 {
		s.widths = append(s.widths, w*w)
	}
	s.weights, s.part = slices.Repeat([]float64{1 / float64(len(s.widths))}, len(s.widths)), make([]float64, len(s.widths))
	next := make([]float64, len(s.widths))
	for range priorRounds {
		clear(next)
		next[0] = priorOfNone
		for _, v := range x {
			s.share(v)
			for i, p := range s.part {
				next[i] += p
			}
		}
		for i, p := range next {
			s.weights[i] = p / (priorOfNone + float64(len(x)))
		}
	}
	return s
}

// share sets part to the probabilities that a number comes from each law.
func (s *shrinkage) share(x float64) {
	sum := 0.0
	for i, w := range s.widths {
		v := s.noise + w
		s.part[i] = s.weights[i] * math.Exp(-x*x/(2*v)) / math.Sqrt(v)
		sum += s.part[i]
	}
	if sum == 0 { // further out than any law reaches
		s.part[len(s.part)-1], sum = 1, 1
	}
	for i := range s.part {
		s.part[i] /= sum
	}
}

// Apply replaces every number by its posterior mean.
func (s *shrinkage) Apply(x []float64) {
	for i, v := range x {
		s.share(v)
		keep := 0.0
		for j, w := range s.widths {
			keep += s.part[j] * w / (w + s.noise)
		}
		x[i] = v * keep
	}
}

// Deviations returns the posterior standard deviation of every number.
func (s *shrinkage) Deviations(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		s.share(v)
		keep, second := 0.0, 0.0
		for j, w := range s.widths {
			k := w / (w + s.noise)
			keep += s.part[j] * k
			second += s.part[j] * (k*s.noise + k*k*v*v)
		}
		out[i] = math.Sqrt(max(0, second-keep*keep*v*v))
	}
	return out
}

// Haar writes a table as means and differences of neighbours at every scale, undecimated, along one axis after the other.
// What is kept of the differences smooths it.
type Haar struct {
	Axes   []int // that are ordered
	Levels int   // scales along each, at most
	// keep replaces differences of two halves of width cells, with noise of standard deviation sigma, by what is kept of them.
	Keep func(differences []float64, sigma float64, width int)
}

// Smooth smooths x, of the given shape and with noise of standard deviation sigma, in place along the axes from number i on. If
// width is above 0, x holds differences of the halves of so many cells.
func (w *Haar) Smooth(x []float64, shape []int, i int, sigma float64, width int) {
	if i == len(w.Axes) {
		if width > 0 {
			w.Keep(x, sigma, width)
		}
		return
	}
	at := w.Axes[i]
	k, inner := shape[at], 1
	for _, n := range shape[at+1:] {
		inner *= n
	}
	levels := min(w.Levels, int(math.Log2(float64(max(k, 1)))))
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
	w.Smooth(mean, padded, i+1, sigma/math.Sqrt(float64(pad)), width)
	for l := levels - 1; l >= 0; l-- {
		h, d := 1<<l, differences[l]
		w.Smooth(d, padded, i+1, sigma/math.Sqrt(float64(2*h)), 2*h)
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
