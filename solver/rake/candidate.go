package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

const (
	priorPower     = 1.5 // prior variance of a cell's deviation from its base b is κ·b^1.5
	leastDeviation = .02 // of the units: smaller scores count as this
	outlierSigmas  = 3
	leastRidgeBase = 1e-6 // counts; smaller bases of a ridge count as this
)

// candidate is a table that may be measured, with its estimated distance from the model.
type candidate struct {
	clique  domain.Clique
	base    []float64 // counts of the model so far
	own     float64   // weight in the workload as a table of its own
	weight  float64   // of its error in the predicted error of the workload
	cost    float64   // in Δ²·c: what a unit of cell precision takes of twice the capacity
	score   float64   // estimated distance from base, counts
	scoreSD float64   // standard deviation of the noise that is left in score, counts

	scale       float64 // κ of the prior
	bins        []bin
	asks        *demand      // of this prior; nil until it is asked for
	precision   float64      // 1/variance of a cell that water-filling gives it
	pairs       []*candidate // of a triple
	uncertainty solver.TableUncertainty
}

// bin is a group of cells with nearly equal base.
type bin struct {
	cells    float64
	base     float64 // mean
	variance float64 // prior variance of a cell
}

// newCandidate returns a candidate of merged sizes; it has a residual only if all of them exceed 1.
func newCandidate(n dp.Neighbouring, sizes []int, t target) *candidate {
	shape := make([]int, len(t.clique))
	for i, a := range t.clique {
		shape[i] = sizes[a]
	}
	sensitivity, _ := query.ResidualL2Squared(n, shape).Float64()
	share, _ := query.ResidualShare(shape).Float64()
	times := max(1, t.times)
	return &candidate{clique: t.clique, own: t.own * times, weight: t.within * times, cost: sensitivity * share * times}
}

const (
	binsPerOctave = 4
	leastBase     = 1e-3 // counts; smaller cells carry no error worth measuring
)

// setBase keeps base and sorts its cells into bins of a quarter octave.
func (c *candidate) setBase(base []float64) {
	c.base = base
	var cells, sum []float64
	for _, b := range base {
		if b < leastBase {
			continue
		}
		i := int(binsPerOctave * math.Log2(b/leastBase))
		for len(cells) <= i {
			cells, sum = append(cells, 0), append(sum, 0)
		}
		cells[i]++
		sum[i] += b
	}
	c.bins = c.bins[:0]
	for i, n := range cells {
		if n > 0 {
			c.bins = append(c.bins, bin{cells: n, base: sum[i] / n})
		}
	}
}

// setScore fits the prior to the score: under it the expected distance is the score, since
// E|x| = .8·√variance. Scores below leastDeviation count as leastDeviation.
func (c *candidate) setScore(score, units float64) {
	c.score, c.asks = score, nil
	sum := 1e-9
	for _, b := range c.bins {
		sum += b.cells * math.Pow(b.base, priorPower/2)
	}
	k := max(score, leastDeviation*units) / (.8 * sum)
	c.scale = k * k
	for i, b := range c.bins {
		c.bins[i].variance = c.scale * math.Pow(b.base, priorPower)
	}
}

// error returns the predicted error of the table, half its expected L1 distance in counts, when its
// cells are measured with precision u: Σ .4·√(v/(1+v·u)).
func (c *candidate) error(u float64) float64 {
	sum := 0.0
	for _, b := range c.bins {
		sum += b.cells * .4 * math.Sqrt(b.variance/(1+b.variance*u))
	}
	return sum
}

// slope returns −d error/du.
func (c *candidate) slope(u float64) float64 {
	sum := 0.0
	for _, b := range c.bins {
		q := b.variance / (1 + b.variance*u)
		sum += b.cells * .2 * q * math.Sqrt(q)
	}
	return sum
}

// expected is error for a score that may lie below leastDeviation, as far as its noise allows: it predicts the error,
// while error decides what to measure.
func (c *candidate) expected(u, units float64) float64 {
	least := leastDeviation * units
	part := max(c.score, min(c.scoreSD, least)) / max(c.score, least)
	sum := 0.0
	for _, b := range c.bins {
		v := part * part * b.variance
		sum += b.cells * .4 * math.Sqrt(v/(1+v*u))
	}
	return sum
}

// selectable reports whether measuring at the given precision would reduce the variance of any cell by a
// percent; less is not worth drawing, and its noise may be too wide for the curator.
func (c *candidate) selectable() bool {
	for _, b := range c.bins {
		if c.precision*b.variance > .01 {
			return true
		}
	}
	return false
}

// shrink returns the posterior means of released scores whose noise has the given variance, at least 0, and their
// posterior standard deviations. The prior is of distances from the median, and heavy-tailed, so that one strong table
// among hundreds of weak ones stays strong.
func shrink(scores []float64, variance float64) (mean, deviation []float64) {
	if len(scores) == 0 || !(variance > 0) {
		return positive(scores), make([]float64, len(scores))
	}
	median := middle(scores)
	apart := make([]float64, len(scores))
	for i, x := range scores {
		apart[i] = x - median
	}
	prior := newShrinkage(apart, math.Sqrt(variance))
	deviation = prior.deviations(apart)
	prior.apply(apart)
	common := math.Pi / 2 * variance / float64(len(scores)) // of a median
	for i := range apart {
		apart[i] += median
		deviation[i] = math.Sqrt(deviation[i]*deviation[i] + common)
	}
	return positive(apart), deviation
}

// middle returns the median of x, which is not empty.
func middle(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// positive returns x with 0 in place of negative numbers.
func positive(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = max(v, 0)
	}
	return out
}

// ridge returns the ridge of every cell of a measured residual of precision u, in counts²: noise variance times base
// over prior variance, for a prior of standard deviation relative·Σbase over the whole table. If a cell exceeds its
// base by more than three standard deviations, base and prior grow by the excess.
//
// lower is the part of the base that the residual does not contain.
func ridge(base, residual, lower []float64, u, relative float64) []float64 {
	scale := priorScale(base, relative)
	out := make([]float64, len(base))
	for i, b := range base {
		b = max(b, leastRidgeBase)
		v := scale * math.Pow(b, priorPower)
		if excess := residual[i] + lower[i] - b - outlierSigmas*math.Sqrt(1/u+v); excess > 0 {
			b += excess
			v += excess * excess
		}
		out[i] = b / (u * v)
	}
	return out
}

// priorScale returns the κ of a prior of standard deviation relative·Σbase over the whole table.
func priorScale(base []float64, relative float64) float64 {
	sum, total := 1e-9, 0.0
	for _, b := range base {
		sum += math.Pow(max(b, leastRidgeBase), priorPower/2)
		total += b
	}
	k := relative * total / sum
	return k * k
}
