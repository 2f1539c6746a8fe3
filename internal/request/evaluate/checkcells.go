package evaluate

import (
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// find returns what a cell is counted as, nil if it is usable.
func (c *checker) find(f *ColumnFit, at int, col *domain.Column, i int) *Misfits {
	a := &c.domain.Attributes[at]
	var code domain.Code
	ok := false
	switch {
	case col.Form == domain.Absent || col.Null(i):
		return &f.Null
	case col.Form == domain.Text:
		code, ok = c.encoder.FromText(at, col.Text(i))
	case col.Form == domain.Dictionary:
		code, ok = c.encoder.FromString(at, col.Dict[col.Ints[i]])
	case col.Form == domain.Floats:
		code, ok = c.encoder.FromFloat(at, col.Floats[i])
	default:
		code, ok = c.encoder.FromNative(at, col.Ints[i])
	}
	switch {
	case len(a.Values) > 0:
		if other, has := a.OtherCode(); ok && (!has || code != other || cellText(a, col, i) == a.OtherValue) {
			return nil
		}
		if a.Type == domain.String || typed(a, cellText(a, col, i)) {
			return &f.NotInList
		}
		return &f.Unusable
	case !ok:
		return &f.Unusable
	}
	if lo, hi := limits(a); (!(number(a, col, i) >= lo) || !(number(a, col, i) <= hi)) && !isExact(a, number(a, col, i)) {
		return &f.OutOfRange
	}
	return nil
}

// isExact reports whether a number, in ones, is an exact value of the attribute, which may lie beyond its range.
func isExact(a *domain.Attribute, v float64) bool {
	return slices.Contains(a.FloatExact, v) || slices.ContainsFunc(a.Exact, func(x int64) bool { return inOnes(a, x) == v })
}

// resolutionOf is the resolution of a column of numbers; empty: it has none.
func resolutionOf(a *domain.Attribute) string {
	switch {
	case a.Type == domain.Float64 && a.FloatResolution > 0:
		return string(domain.AppendFloat(nil, a.FloatResolution))
	case len(a.Cuts) > 1 && (a.Type == domain.Int64 || a.Type == domain.Numeric):
		return string(a.AppendNative(nil, a.Resolution))
	}
	return ""
}

// isRounded reports whether a usable number of a column with a resolution is no multiple of it.
func isRounded(a *domain.Attribute, col *domain.Column, i int) bool {
	step := a.FloatResolution
	switch {
	case a.Type == domain.Int64 && a.Resolution == 1:
		return false
	case a.Type != domain.Float64:
		step = inOnes(a, a.Resolution)
	}
	v := number(a, col, i)
	return math.Abs(v/step-math.Round(v/step)) > 1e-6 && !isExact(a, v)
}

// typed reports whether a text is a value of the attribute's type.
func typed(a *domain.Attribute, s string) bool {
	_, ok := a.ParseNative(s)
	return ok
}

// limits returns the least and the largest value between the cut points, in ones.
func limits(a *domain.Attribute) (lo, hi float64) {
	if n := len(a.FloatCuts); n > 0 {
		return a.FloatCuts[0], a.FloatCuts[n-1]
	}
	return inOnes(a, a.Cuts[0]), inOnes(a, a.Cuts[len(a.Cuts)-1])
}

// cellText writes a cell that is not NULL as people read it.
func cellText(a *domain.Attribute, col *domain.Column, i int) string {
	return string(appendCell(nil, a, col, i))
}

func (m *Misfits) add(s string) {
	m.Count++
	if len(m.First) == firstTexts {
		return
	}
	if len(s) > longestText {
		s = strings.ToValidUTF8(s[:longestText], "") + "…"
	}
	if !slices.Contains(m.First, s) {
		m.First = append(m.First, s)
	}
}
