package interval

import "github.com/dapple-dp/dapple/dp/domain"

// Source is the origin of a standard error.
type Source uint8

const (
	// Measured means that a noisy answer of the marginal, or of a marginal that contains it, was released.
	Measured Source = iota
	// Scored means that the noisy distance of the marginal from the model was released, and was too small to measure the
	// marginal.
	Scored
	// Extrapolated means that the marginal has no score; its assumed distance from the model is the distance of the worst tenth of the
	// scored marginals.
	Extrapolated
	// Pooled means that the value is too rare to be told from noise; its count is known, and its dependences are not.
	Pooled
	// Certificate means that it follows from the released largest error of any cell.
	Certificate
	// Bound means that no release bears on it; the interval contains all possible values.
	Bound
)

// String returns the word that _marginals.parquet has for the source.
func (s Source) String() string {
	return [...]string{"measured", "scored", "extrapolated", "pooled", "certificate", "bound"}[s]
}

// source returns the source of the cells of c without pooled values.
func (v *Intervals) source(c domain.Clique) Source {
	switch t := v.tables[c.Key()]; {
	case v.uncertainty == nil && v.precision(c) > 0 && v.scale >= 0:
		return Measured
	case v.uncertainty == nil && v.scale >= 0:
		return Extrapolated
	case v.uncertainty == nil && v.maxError != nil:
		return Certificate
	case v.uncertainty == nil:
		return Bound
	case v.plain(c) <= 1 || t != nil && t.Precision+t.Earlier > 0:
		return Measured
	case t != nil:
		return Scored
	}
	return Extrapolated
}

// plain returns how many attributes of c have a choice: interactions are between these.
func (v *Intervals) plain(c domain.Clique) int {
	n := 0
	for _, a := range c {
		if v.sizes[a] > 1 {
			n++
		}
	}
	return n
}
