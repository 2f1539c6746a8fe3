package query

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// WithRows returns a workload with what the rows of people need besides, if d has Events: the number of rows, which a list of
// the columns of a table does not name, by itself, with each marginal of at most maxCells cells together, and with each
// usual value and its column; and of records with an order what each has to do with the one before.
func WithRows(d *domain.Domain, w Workload, maxCells int64) Workload {
	if d.Events == nil {
		return w
	}
	listed, rows := w.Marginals, d.Events.Columns
	w.Marginals = slices.Clone(listed)
	add := func(weight float64, attributes ...int) {
		c := domain.NewClique(attributes...)
		cells, err := c.Cells(w.Sizes)
		same := func(m Marginal) bool { return m.Queries == nil && m.Clique.Equal(c) }
		if err == nil && cells <= maxCells && !slices.ContainsFunc(w.Marginals, same) {
			w.Marginals = append(w.Marginals, Marginal{Clique: c, Weight: weight})
		}
	}
	add(1, rows)
	for i, name := range d.Events.Usual {
		add(1, rows, rows+1+i)
		add(1, rows, rows+1+i, d.Index(name))
	}
	if d.Ordered() { // what follows a row, which a list of the columns of a table does not name either
		gap, first := d.Events.Gap(), d.Events.First()
		for a := range d.Events.Columns {
			if d.OfPerson(a) {
				add(1, a, first)
			} else if a != gap {
				add(1, a, gap)
				add(1, a, gap, rows)
			}
		}
		add(1, gap, rows)
		add(1, rows, first)
		for i, a := range d.Remembered() {
			before := d.Events.Before(i)
			add(1, a, before)
			add(1, gap, before)
		}
	}
	for _, m := range listed {
		if m.Queries == nil && !m.Clique.Contains(domain.Clique{rows}) {
			add(m.Weight, append(slices.Clone(m.Clique), rows)...)
		}
	}
	slices.SortStableFunc(w.Marginals, func(a, b Marginal) int { return a.Clique.Compare(b.Clique) })
	return w
}

// MaxValueBytes is the longest text that is a candidate where values are found: longer ones are never released.
const MaxValueBytes = 256

// Value is a value of a column with a number of privacy units: exact while it is private, noisy once it is released.
type Value struct {
	Text  string
	Count int64
}

// ValuesOf says which texts of a column are counted: whole values, or what those begin with.
type ValuesOf struct {
	Column int
	// Prefix is the number of characters that values begin with, which are counted under these characters and a star. 0: whole
	// values are.
	Prefix int
	// Standing are values and longer prefixes that are released already: units that have one of them are not counted again.
	Standing []string
}

// FoundValue is a released value: its count plus noise, in counts.
type FoundValue struct {
	Text  string
	Count float64
}

// FoundValues are the released values of a column, by falling noisy count. Threshold, in counts, is what each exceeds.
type FoundValues struct {
	Column    int
	Prefix    int `json:",omitempty"` // as of ValuesOf
	Values    []FoundValue
	Variance  float64
	Threshold float64
}
