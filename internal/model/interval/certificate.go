package interval

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Of a certificate C, the released largest error of any cell with standard deviation σ: S = (C + 1.64·σ)/2.7 is what large
// cells err by. Smaller ones have the variance S²·b/(b + 2·S), since the error of a cell falls with its count b once that is below the
// noise that the model was selected with; cells of columns, which sum many errors, S²·b/(b + ½·S).
const (
	certifiedSigmas = 1.64 // one-sided, 95 %
	certifiedRange  = 2.7  // standard errors that the largest of many linked errors makes
	certifiedKnee   = 2
	columnKnee      = .5
	// tableCertified is the part of it that the cells of two and more columns err by. A fit draws their counts towards 0, so that their
	// upper ends follow from all of it: of six kinds of tables at ε = .3, 1 and 10 no interval by the whole began above the truth, and the
	// root mean square of errors was .2 to .9 of it, and up to 2.3 at ε = .3 where columns depend on each other.
	tableCertified = .7
)

// certifiedCells writes the standard errors of the cells of c by the largest error of the model, if their answers are not known.
func (v *Intervals) certifiedCells(c domain.Clique, fitted, dst []float64) {
	switch m, alone := v.answered(c), v.alone(c); {
	case alone != nil:
		for i, b := range fitted { // people that noise adds are spread evenly
			p := b/v.units - 1/float64(len(fitted))
			dst[i] = math.Sqrt(max(alone[i], v.totalVariance*p*p) + min(rounding, b))
		}
	case m != nil && len(c) > 1:
		v.answeredCells(m, c, fitted, dst)
	case len(c) == 1:
		v.certified(1, columnKnee, fitted, dst)
	default:
		v.certified(tableCertified, certifiedKnee, fitted, dst)
	}
}

// certified writes standard errors by a part of S, and a knee.
func (v *Intervals) certified(part, knee float64, fitted, dst []float64) {
	s := part * (max(v.maxError.Counts, 0) + certifiedSigmas*math.Sqrt(v.maxError.Variance)) / certifiedRange
	for i, b := range fitted {
		b = max(b, 0) + 1
		dst[i] = math.Sqrt(s*s*b/(b+knee*s) + rounding)
	}
}

// ofColumn is the variance of a sum of a column's values by how far the fit is from its answer, and by that answer's noise. It is the
// sum of many cells, so the fit keeps little of that noise.
func ofColumn(miss, noise float64) float64 { return max(miss*miss, noise) }
