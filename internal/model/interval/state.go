package interval

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/solver"
)

// state is what all standard errors of a release follow from, besides its model. It is released.
type state struct {
	Format      int                 `json:"format"`
	Computation int                 `json:"computation"` // of the standard errors; absent: by an earlier version
	Sizes       []int               `json:"sizes"`
	Units       float64             `json:"units"`
	Variance    float64             `json:"variance"` // of Units
	Uncertainty *solver.Uncertainty `json:"uncertainty,omitempty"`
	OneWay      [][]float64         `json:"one_way,omitempty"` // variance of every value's count
	Measured    []measuredMarginal  `json:"measured,omitempty"`
	MaxError    *query.MaxError     `json:"max_error,omitempty"`
	Scale       *float64            `json:"scale,omitempty"` // κ of whole marginals
	Fit         *solver.Fit         `json:"fit,omitempty"`
	Misses      []*miss.Table       `json:"misses,omitempty"`
}

// measuredMarginal is a marginal with noisy cells.
type measuredMarginal struct {
	Clique   domain.Clique `json:"clique"`
	Variance float64       `json:"variance"`
}

const (
	stateFormat = 1
	computation = 2 // from which on standard errors hold how far the fit is from the noisy answers
)

// MarshalJSON returns what Restore reads: all that standard errors follow from, besides the model.
func (v *Intervals) MarshalJSON() ([]byte, error) {
	s := state{Format: stateFormat, Computation: computation, Sizes: v.sizes, Units: v.units, Variance: v.totalVariance, Uncertainty: v.uncertainty, OneWay: v.oneWay, MaxError: v.maxError}
	if v.earlier {
		s.Computation = 0
	}
	if v.fit != nil {
		f := *v.fit
		f.Misses = nil
		s.Fit = &f
	}
	for _, key := range slices.Sorted(maps.Keys(v.misses)) {
		s.Misses = append(s.Misses, v.misses[key])
	}
	for _, m := range v.measurements {
		s.Measured = append(s.Measured, measuredMarginal{m.Clique, m.Variance})
	}
	if !math.IsNaN(v.scale) {
		s.Scale = &v.scale
	}
	return json.Marshal(s)
}

var errState = errors.New("interval: not what was released of a model's errors, or damaged")

// Restore reads what MarshalJSON has written for a model of the given sizes.
func Restore(data []byte, sizes []int) (*Intervals, error) {
	var s state
	if err := json.Unmarshal(data, &s); err != nil || s.Format != stateFormat || !slices.Equal(s.Sizes, sizes) || !(s.Units >= 1) || !(s.Variance >= 0) {
		return nil, errState
	}
	v := &Intervals{sizes: s.Sizes, units: s.Units, totalVariance: s.Variance, uncertainty: s.Uncertainty, oneWay: s.OneWay, maxError: s.MaxError, scale: math.NaN(), earlier: s.Computation < computation}
	if s.Scale != nil {
		v.scale = *s.Scale
	}
	within := func(c domain.Clique) bool {
		return !slices.ContainsFunc(c, func(a int) bool { return a < 0 || a >= len(sizes) })
	}
	for _, m := range s.Measured {
		if !within(m.Clique) || !(m.Variance > 0) {
			return nil, errState
		}
		v.measurements = append(v.measurements, query.Measurement{Clique: m.Clique, Variance: m.Variance})
	}
	for _, m := range s.Misses {
		if m == nil || len(m.Clique) > 2 && (m.Centred || s.Uncertainty != nil) || !within(m.Clique) || !(m.Unit > 0) || !(m.Variance >= 0) || !(m.Kept >= 0) || !m.Fits(sizes) {
			return nil, errState
		}
	}
	v.keepMisses(s.Misses)
	v.tested(s.Fit)
	if !columns(s.OneWay, sizes, s.Uncertainty == nil) {
		return nil, errState
	}
	if s.Uncertainty == nil {
		return v, nil
	}
	if len(s.Uncertainty.Pooled) != len(sizes) {
		return nil, errState
	}
	for a, k := range sizes {
		if len(s.Uncertainty.Pooled[a]) != k || !fits(s.Uncertainty.Inside, a, k) {
			return nil, errState
		}
	}
	for i := range s.Uncertainty.Tables {
		if !within(s.Uncertainty.Tables[i].Clique) {
			return nil, errState
		}
	}
	v.index()
	return v, nil
}

// columns reports whether a list has every value of every column, or may have none and has none.
func columns(list [][]float64, sizes []int, none bool) bool {
	if none && list == nil {
		return true
	}
	return slices.EqualFunc(list, sizes, func(x []float64, k int) bool { return len(x) == k })
}

// fits reports whether a list by attribute and value, or nothing, has k values of attribute a.
func fits(list [][]float64, a, k int) bool {
	return list == nil || a < len(list) && (list[a] == nil || len(list[a]) == k)
}

// index prepares what is looked up of tables.
func (v *Intervals) index() {
	v.tables = make(map[string]*solver.TableUncertainty, len(v.uncertainty.Tables))
	for i := range v.uncertainty.Tables {
		t := &v.uncertainty.Tables[i]
		v.tables[t.Clique.Key()] = t
	}
	v.screened = distances(v.sizes, v.uncertainty.Tables)
}
