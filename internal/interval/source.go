package interval

import "github.com/dapple-dp/dapple/dp/domain"

// Source says where a standard error comes from.
type Source uint8

const (
	// Measured means that a noisy answer of the marginal, or of one around it, was bought.
	Measured Source = iota
	// Scored means that the noisy distance of the marginal from the model was bought, and was too small to buy more.
	Scored
	// Extrapolated means that the marginal has no score; it is taken to be as far from the model as the worst tenth
	// of those that have one.
	Extrapolated
	// Pooled marks a value too rare to be told from noise: its count is known, and what it goes with is not.
	Pooled
	// Certificate means that it follows from the bought largest error of any cell.
	Certificate
	// Bound means that nothing that was bought tells: the interval holds all that is possible.
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
