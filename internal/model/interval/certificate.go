package interval

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/miss"
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

// certifiedCells writes the standard errors of the cells of c, if only the largest error of the model is known.
func (v *Intervals) certifiedCells(c domain.Clique, fitted, dst []float64) {
	if len(c) == 1 {
		v.certified(1, columnKnee, fitted, dst)
		return
	}
	v.certified(tableCertified, certifiedKnee, fitted, dst)
}

// certified writes standard errors by a part of S, and a knee.
func (v *Intervals) certified(part, knee float64, fitted, dst []float64) {
	s := part * (max(v.maxError.Counts, 0) + certifiedSigmas*math.Sqrt(v.maxError.Variance)) / certifiedRange
	for i, b := range fitted {
		b = max(b, 0) + 1
		dst[i] = math.Sqrt(s*s*b/(b+knee*s) + rounding)
	}
}

// answered returns the answers of a table that are known beside a certificate; nil without them.
func (v *Intervals) answered(c domain.Clique) *miss.Table {
	if m := v.misses[c.Key()]; m != nil && m.Variance > 0 && v.source(c) == Certificate {
		return m
	}
	return nil
}

// ofColumn is the variance of a count of one column by how far the fit is from its answer, and by that answer's noise. A count is the
// sum of many cells, so the fit keeps little of that noise.
func ofColumn(miss, noise float64) float64 { return max(miss*miss, noise) }

// answeredCells writes the standard errors of cells whose answers are known. Of 35 kinds of tables at ε = .3 to 10 97 % or more of the
// cells with people were within 1.96 of them, and 95 to 100 % by the certificate.
func (v *Intervals) answeredCells(c domain.Clique, dst []float64) {
	m := v.answered(c)
	if m == nil {
		return
	}
	for i := range dst {
		miss := m.Unit * float64(m.Counts[i])
		if dst[i] = math.Hypot(miss, math.Sqrt(m.Variance)); len(c) == 1 {
			dst[i] = math.Sqrt(ofColumn(miss, m.Variance))
		}
	}
}
