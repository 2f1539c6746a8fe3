package query

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Weights of tables of histories, relative to the weights of what is written. What was in the row before matters as far as it
// decides what follows: among themselves remembered columns are as rows are, which other tables say. follows was .7, which
// left the mean transition 11, 13 and 13 % further off on the made-up careers, purchases and visits that it was chosen on, and 6 %
// on flights and parcels, 6 runs each; pairs of a row stay as they were. At 6 the pairs of purchases are off by 15 % more.
const (
	follows = 2.8 // a column and what it was before
	counts  = 2.  // a column and the number of rows, which decides how much of it is written
	decides = .7  // either with the gap, both with the number of rows, the first value with columns of persons
	helps   = .3  // other tables of what was before and what follows
	repeats = .15 // tables of what was before alone
)

// WithOrder returns a workload of all marginals up to some width as histories need it, if the records of d have an order:
// with weights, and without the triples that say least of what follows a row.
func WithOrder(d *domain.Domain, w Workload) Workload {
	if !d.Ordered() {
		return w
	}
	s := newSequenced(d)
	var kept []Marginal
	for _, m := range w.Marginals {
		if weight := s.weight(m.Clique); weight > 0 || m.Queries != nil {
			if m.Queries == nil {
				m.Weight *= weight
			}
			kept = append(kept, m)
		}
	}
	w.Marginals = kept
	return w
}

// sequenced knows what attributes have to do with the order of records.
type sequenced struct {
	d     *domain.Domain
	of    map[int]int // remembered column of each attribute that remembers one
	gap   int
	first int
}

func newSequenced(d *domain.Domain) sequenced {
	s := sequenced{d: d, of: map[int]int{}, gap: d.Events.Gap(), first: d.Events.First()}
	for i, a := range d.Remembered() {
		s.of[d.Events.Before(i)] = a
	}
	return s
}

// weight returns the weight of a marginal, 0 if it is not wanted.
func (s sequenced) weight(c domain.Clique) float64 {
	before, both, gap, first := 0, false, slices.Contains(c, s.gap), slices.Contains(c, s.first)
	for _, a := range c {
		if of, ok := s.of[a]; ok {
			before++
			both = both || slices.Contains(c, of)
		}
	}
	switch {
	case len(c) < 2:
		return 1
	case before == 0:
		return s.withoutMemory(c, gap, first)
	case before > 1 || first:
		return s.only(c, repeats)
	case len(c) == 2 && both:
		return follows
	case len(c) == 2 && gap:
		return decides
	case len(c) > 2 && !both && !gap:
		return 0
	case both && slices.Contains(c, s.d.Events.Columns):
		return decides
	}
	return helps
}

// withoutMemory returns the weight of a marginal that holds nothing of the row before.
func (s sequenced) withoutMemory(c domain.Clique, gap, first bool) float64 {
	switch {
	case len(c) == 2 && slices.Contains(c, s.d.Events.Columns):
		return counts
	case !gap && !first:
		return 1
	case len(c) == 2 && (!first || s.d.OfPerson(c[0]) && s.d.OfPerson(c[1])):
		return decides
	}
	return helps
}

// only returns the weight of a pair, and 0 for anything wider.
func (s sequenced) only(c domain.Clique, weight float64) float64 {
	if len(c) > 2 {
		return 0
	}
	return weight
}
