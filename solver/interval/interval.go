package interval

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/population"
)

const (
	inflation = 1.3 // of all standard errors of residual fits
	softening = 10  // counts added to a base: small cells err by more than their size says
	rounding  = .25 // variance of whole rows, counts²

	wholeInflation = 1.2 // of all standard errors of fits to whole marginals
)

// Intervals gives the standard errors of a result's cells. It is immutable.
type Intervals struct {
	sizes        []int
	uncertainty  *solver.Uncertainty
	tables       map[string]solver.TableUncertainty
	measurements []query.Measurement
	scale        float64 // κ of whole marginals; NaN where nothing is known
}

// New prepares the intervals of a result, with one pass over the model for each measured marginal.
func New(r *solver.Result) *Intervals {
	v := &Intervals{sizes: r.Model.Sizes, uncertainty: r.Uncertainty, measurements: r.Measurements, scale: math.NaN()}
	if r.Uncertainty == nil {
		v.scale = spread(r)
		return v
	}
	v.tables = make(map[string]solver.TableUncertainty, len(r.Uncertainty.Tables))
	for _, t := range r.Uncertainty.Tables {
		v.tables[t.Clique.Key()] = t
	}
	return v
}

// StandardErrors returns the predicted standard error, in counts, of every cell of the marginal of c, given
// its fitted counts: NaN where no interval is valid. The result is written to dst, which has one entry per
// cell, or is nil and then made. About 10 ns per cell.
func (v *Intervals) StandardErrors(c domain.Clique, fitted, dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(fitted))
	}
	if cells, err := c.Cells(v.sizes); err != nil || int64(len(fitted)) != cells || len(dst) != len(fitted) {
		panic("interval: a marginal needs one count and one standard error per cell")
	}
	if v.uncertainty == nil {
		v.whole(c, fitted, dst)
		return dst
	}
	if !v.residual(c, fitted, dst) {
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
	return dst
}

// prior returns the variance of a cell of base b before it was measured.
func prior(scale, b float64) float64 {
	b = max(b, 0) + softening
	return scale * b * math.Sqrt(b)
}

// residual writes the standard errors of a model fitted to residuals, and reports whether it could.
func (v *Intervals) residual(c domain.Clique, fitted, dst []float64) bool {
	if len(c) > 3 || len(c) == 0 {
		return false
	}
	for i := range dst {
		dst[i] = rounding
	}
	for mask := 1; mask < 1<<len(c); mask++ {
		if !v.addPart(c, mask, fitted, dst) {
			return false
		}
	}
	for i, x := range dst {
		dst[i] = inflation * math.Sqrt(x)
	}
	for i, a := range c {
		v.hidePooled(c, i, v.uncertainty.Pooled[a], dst)
	}
	return true
}

// addPart adds the variance that the interaction of the masked attributes brings to every cell.
func (v *Intervals) addPart(c domain.Clique, mask int, fitted, dst []float64) bool {
	var sub domain.Clique
	for i, a := range c {
		if mask>>i&1 == 1 {
			sub = append(sub, a)
			if v.sizes[a] == 1 {
				return true // such an interaction is none
			}
		}
	}
	scale, u, ok := v.known(sub)
	if !ok {
		return false
	}
	variance := func(b float64) float64 {
		if len(sub) == 1 {
			return v.uncertainty.Ones[sub[0]]
		}
		x := prior(scale, b)
		return x / (1 + x*u)
	}
	if len(sub) == len(c) {
		for i, b := range fitted {
			dst[i] += variance(b)
		}
		return true
	}
	p := population.NewProjection(v.sizes, c, sub)
	cells, _ := sub.Cells(v.sizes) // fewer than c has
	share := p.Sum(make([]float64, cells), fitted)
	for i, b := range share {
		share[i] = variance(b) / max(b*b, math.SmallestNonzeroFloat32)
	}
	square := make([]float64, len(fitted))
	for i, b := range fitted {
		square[i] = b * b
	}
	p.Multiply(square, share)
	for i, x := range square {
		dst[i] += x
	}
	return true
}

// known returns what was found out about an interaction; ok is false where nobody looked.
func (v *Intervals) known(c domain.Clique) (scale, u float64, ok bool) {
	if len(c) == 1 {
		return 0, 0, v.uncertainty.Ones[c[0]] > 0
	}
	t, ok := v.tables[c.Key()]
	if !ok && v.merged(c) {
		return 0, 0, true // no cell of it is shown
	}
	return t.Scale, t.Precision, ok
}

// merged reports whether some attribute of c has pooled values alone.
func (v *Intervals) merged(c domain.Clique) bool {
	for _, a := range c {
		all := true
		for _, pooled := range v.uncertainty.Pooled[a] {
			all = all && pooled
		}
		if all {
			return true
		}
	}
	return false
}

// hidePooled sets the cells of pooled values of the attribute at position i of c to NaN.
func (v *Intervals) hidePooled(c domain.Clique, i int, pooled []bool, dst []float64) {
	stride, size := c.Strides(v.sizes)[i], v.sizes[c[i]]
	for from := 0; from < len(dst); from += stride * size {
		for code, hide := range pooled {
			for j := from + code*stride; hide && j < from+(code+1)*stride; j++ {
				dst[j] = math.NaN()
			}
		}
	}
}
