package rake

import "math"

// emptiness finds the cells of a pair that have no records, as of columns that follow from each other: noise and ridges,
// which hold every cell at a part of what independent columns would have in it, give those a good part of all records. A
// count is taken to be 0, or else normal around the base with the prior's variance; how often it is 0 is estimated from all
// cells. The target of a cell falls by the probability that it is 0, and what a column loses by that is spread over it: the
// one-ways of a target stay, or pairs with little noise would pull at those of the fit.
//
// At ε = 1 the total variation of pairs is 6 % less for near-deterministic columns, 4 % for flights, 2.5 % for columns of
// 100 values that follow from others, and .4 % on adult14. Ridges that fall as well gain 1 % more on adult14, nothing on
// flights, and cost 5 % in the largest error of a cell.
type emptiness struct {
	base  []float64 // counts of independent columns
	scale float64   // κ of the prior
}

const (
	emptyAtFirst = .1 // of the cells
	emptySteps   = 10
	emptyShows   = 2 // standard deviations of noise in a base from which on an empty cell shows
)

// of returns for each cell the probability that it is empty, given counts with noise of the given variance: 0 where that
// would not show. Steps of the EM algorithm estimate how many are.
func (e *emptiness) of(counts []float64, noise float64) []float64 {
	p := make([]float64, len(counts))
	var cells []int
	var ratio []float64 // of the likelihoods of other counts and of 0
	for i, b := range e.base {
		if b < emptyShows*math.Sqrt(noise) {
			continue
		}
		t, v := counts[i], e.scale*math.Pow(b, priorPower)+noise
		cells = append(cells, i)
		ratio = append(ratio, math.Exp((t*t/noise-(t-b)*(t-b)/v)/2)*math.Sqrt(noise/v))
	}
	part := emptyAtFirst
	for range emptySteps {
		sum := emptyAtFirst // and one cell more, so that a few cells are never all empty
		for j, i := range cells {
			p[i] = part / (part + (1-part)*ratio[j])
			sum += p[i]
		}
		part = sum / float64(len(cells)+1)
	}
	return p
}
