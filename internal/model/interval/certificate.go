package interval

import "math"

// Of a certificate C, the released largest error of any cell with standard deviation σ: large cells are given
// the standard error S = (C + 1.64·σ)/2.7, smaller ones the variance S²·b/(b + 2·S), since the error of a cell
// falls with its count b once that is below the noise that the model was selected with.
const (
	certifiedSigmas = 1.64 // one-sided, 95 %
	certifiedRange  = 2.7  // standard errors that the largest of many linked errors makes
	certifiedKnee   = 2
)

// certified writes the standard errors of a model when only its largest error is known.
func (v *Intervals) certified(fitted, dst []float64) {
	s := (max(v.maxError.Counts, 0) + certifiedSigmas*math.Sqrt(v.maxError.Variance)) / certifiedRange
	for i, b := range fitted {
		b = max(b, 0) + 1
		dst[i] = math.Sqrt(s*s*b/(b+certifiedKnee*s) + rounding)
	}
}
