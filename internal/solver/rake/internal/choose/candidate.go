package choose

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/solver/cells"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/solver"
)

// The prior of cells, and the floor of scores.
const (
	LeastDeviation = .02  // of the units: smaller scores count as this …
	leastWide      = .002 // … and as this, of tables of more than three columns, which are many
)

// Candidate is a table that may be measured, with its estimated distance from the model.
type Candidate struct {
	Clique  domain.Clique
	Base    []float64 // counts of the model so far
	own     float64   // weight in the workload as a table of its own
	weight  float64   // of its error in the predicted error of the workload
	Cost    float64   // of the law: what a unit of cell precision takes
	Score   float64   // estimated distance from base, counts
	ScoreSD float64   // standard deviation of the noise that is left in score, counts
	Apart   bool      // a wider table that stands out of its noise and the tables inside

	scale       float64 // κ of the prior
	bins        []bin
	asks        *demand      // of this prior; nil until it is asked for
	Precision   float64      // 1/variance of a cell that water-filling gives it
	inside      []*Candidate // narrower ones of a triple or wider table
	Uncertainty solver.TableUncertainty
}

// bin is a group of cells with nearly equal base.
type bin struct {
	cells    float64
	base     float64 // mean
	variance float64 // prior variance of a cell
}

// NewCandidate returns a candidate of merged sizes; it has a residual only if all of them exceed 1.
func NewCandidate(l Law, sizes []int, t Target) *Candidate {
	shape := lists.Of(t.Clique, func(a int) int { return sizes[a] })
	times := max(1, t.times)
	return &Candidate{Clique: t.Clique, own: t.Own * times, weight: t.within * times, Cost: l.Residual(shape) * math.Pow(times, 1/l.Power)}
}

const (
	binsPerOctave = 4
	leastBase     = 1e-3 // counts; smaller cells carry no error worth measuring
)

// SetBase keeps base and sorts its cells into bins of a quarter octave.
func (c *Candidate) SetBase(base []float64) {
	c.Base = base
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
// E|x| = .8·√variance. Scores below LeastDeviation count as LeastDeviation.
func (c *Candidate) setScore(score, units float64) {
	c.Score, c.asks = score, nil
	sum := 1e-9
	for _, b := range c.bins {
		sum += b.cells * math.Pow(b.base, cells.PriorPower/2)
	}
	k := max(score, c.least()*units) / (.8 * sum)
	c.scale = k * k
	for i, b := range c.bins {
		c.bins[i].variance = c.scale * math.Pow(b.base, cells.PriorPower)
	}
}

// least returns the floor of a score, of the units.
func (c *Candidate) least() float64 {
	if len(c.Clique) > 3 {
		return leastWide
	}
	return LeastDeviation
}

// error returns the predicted error of the table, half its expected L1 distance in counts, when its
// cells are measured with precision u: Σ .4·√(v/(1+v·u)).
func (c *Candidate) error(u float64) float64 {
	sum := 0.0
	for _, b := range c.bins {
		sum += b.cells * .4 * math.Sqrt(b.variance/(1+b.variance*u))
	}
	return sum
}

// slope returns −d error/du.
func (c *Candidate) slope(u float64) float64 {
	sum := 0.0
	for _, b := range c.bins {
		q := b.variance / (1 + b.variance*u)
		sum += b.cells * .2 * q * math.Sqrt(q)
	}
	return sum
}

// Expected is error for a score that may lie below LeastDeviation, as far as its noise allows: it predicts the error,
// while error decides what to measure.
func (c *Candidate) Expected(u, units float64) float64 {
	least := c.least() * units
	part := max(c.Score, min(c.ScoreSD, least)) / max(c.Score, least)
	sum := 0.0
	for _, b := range c.bins {
		v := part * part * b.variance
		sum += b.cells * .4 * math.Sqrt(v/(1+v*u))
	}
	return sum
}

// Selectable reports whether measuring at the given precision would reduce the variance of any cell by a
// percent; less is not worth drawing, and its noise may be too wide for the curator.
func (c *Candidate) Selectable() bool {
	for _, b := range c.bins {
		if c.Precision*b.variance > .01 {
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
	apart := lists.Of(scores, func(x float64) float64 { return x - median })
	prior := oneway.NewShrinkage(apart, math.Sqrt(variance))
	deviation = prior.Deviations(apart)
	prior.Apply(apart)
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
	return lists.Of(x, func(v float64) float64 { return max(v, 0) })
}

// Uncertainty returns what is known about the error of every cell: the noise of the one-way tables, and of
// each pair and scored triple what its screenings and releases leave of its first prior. All of it follows from
// releases.
func (x *Candidates) Uncertainty() *solver.Uncertainty {
	u := &solver.Uncertainty{OneWay: make([]float64, len(x.Ones.List)), Pooled: make([][]bool, len(x.Ones.List))}
	for a, one := range x.Ones.List {
		u.OneWay[a] = one.Spread
		if one.Learned {
			if u.Bins == nil {
				u.Bins, u.Inside = make([][]float64, len(x.Ones.List)), make([][]float64, len(x.Ones.List))
			}
			u.Bins[a], u.Inside[a] = one.Bins, one.Inside
		}
		u.Pooled[a] = x.Merged.Alone(a)
		for v, alone := range u.Pooled[a] {
			u.Pooled[a][v] = !alone
		}
	}
	for _, c := range x.All() {
		u.Tables = append(u.Tables, c.Uncertainty)
	}
	return u
}

// A later screening counts within these bounds only, since noise and the floor of scores blur it. With ½ as the least,
// and not ¼, the intervals of pairs that were not measured again hold 96 % in place of 86 to 91 %.
const leastGrowth, mostGrowth = .5, 4

// screen keeps what the score says of the cells' variance. The first screening sets the prior; a later one is of
// what the release before it left, whose standard deviations it scales by one factor.
func (c *Candidate) screen() {
	k := &c.Uncertainty
	k.Distance = c.Score
	if k.Clique == nil {
		k.Clique, k.Scale, k.Growth = c.Clique, c.scale, 1
		return
	}
	k.Earlier, k.Precision = k.Precision, 0
	expected := 1e-9
	for _, b := range c.bins {
		expected += b.cells * .8 * math.Sqrt(k.Variance(k.Scale*math.Pow(b.base, cells.PriorPower)))
	}
	f := c.Score / expected
	k.Growth = min(max(f*f, leastGrowth), mostGrowth)
}

// Released reports whether the table was released, in whichever round.
func (c *Candidate) Released() bool { return c.Uncertainty.Earlier+c.Uncertainty.Precision > 0 }
