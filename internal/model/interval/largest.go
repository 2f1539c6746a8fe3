package interval

import (
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// Largest collects standard errors and predicts the error of the worst cell. The zero value is ready for use.
type Largest struct {
	bins map[int]float64 // cells by logarithm of their standard error
}

// finest is how many bins an octave of standard errors has.
const finest = 16

// Add counts in cells; NaN is left out.
func (l *Largest) Add(standardErrors []float64) {
	if l.bins == nil {
		l.bins = map[int]float64{}
	}
	for _, s := range standardErrors {
		if s > 0 {
			l.bins[int(math.Ceil(finest*math.Log2(s)))]++
		}
	}
}

// Cells returns how many cells were counted in.
func (l *Largest) Cells() int64 {
	n := 0.0
	for _, c := range l.bins {
		n += c
	}
	return int64(n)
}

// Median returns the median of the largest of as many independent normal errors, in the unit of the standard errors;
// 0 if there are no cells. Errors of neighbouring cells are correlated, which makes the largest a little smaller.
func (l *Largest) Median() float64 { return l.Within(.5) }

// Within returns what the largest of as many independent normal errors keeps with so much confidence.
func (l *Largest) Within(confidence float64) float64 {
	bins := slices.Sorted(maps.Keys(l.bins)) // sums have one order
	if len(bins) == 0 {
		return 0
	}
	high := 40 * math.Exp2(float64(bins[len(bins)-1])/finest)
	_, high = bisect.Steps(0, high, 60, func(x float64) bool {
		beyond := 0.0
		for _, i := range bins {
			beyond -= l.bins[i] * math.Log1p(-math.Erfc(x/math.Exp2(float64(i)/finest)/math.Sqrt2))
		}
		return !(beyond > -math.Log(confidence))
	})
	return high
}
