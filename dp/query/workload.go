package query

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Marginal is one table of counts that users want to know: a clique, with a public weight.
type Marginal struct {
	Clique domain.Clique
	Weight float64 // above 0; 1 unless the user says otherwise
	// Queries, if not nil, replace the clique's cells: wherever selections and answers refer to the cells of a
	// marginal, they then refer to its queries.
	Queries *Linear `json:",omitempty"`
}

// Answers returns the number of cells, or of queries. It fails if there are more cells than an int64 counts.
func (m Marginal) Answers(sizes []int) (int64, error) {
	n, err := m.Clique.Cells(sizes)
	if err != nil || m.Queries == nil {
		return n, err
	}
	return int64(m.Queries.queries), nil
}

// Workload is a list of marginals over one domain, in a fixed order, without repeats.
type Workload struct {
	Sizes     []int // cells of each attribute
	Marginals []Marginal
}

// AllMarginals returns every marginal of 1 to width attributes that has at most maxCells cells, in the
// order of domain.Clique.Compare.
func AllMarginals(sizes []int, width int, maxCells int64) Workload {
	w := Workload{Sizes: slices.Clone(sizes)}
	var grow func(c domain.Clique, cells int64, next int)
	grow = func(c domain.Clique, cells int64, next int) {
		for a := next; a < len(sizes); a++ {
			if cells > maxCells/int64(sizes[a]) {
				continue
			}
			clique := append(slices.Clone(c), a)
			w.Marginals = append(w.Marginals, Marginal{Clique: clique, Weight: 1})
			if len(clique) < width {
				grow(clique, cells*int64(sizes[a]), a+1)
			}
		}
	}
	grow(nil, 1, 0)
	slices.SortFunc(w.Marginals, func(a, b Marginal) int { return a.Clique.Compare(b.Clique) })
	return w
}

// CountMarginals returns how many marginals AllMarginals makes, or limit+1 if that is more than limit. It
// takes some nanoseconds for each marginal counted and no memory.
func CountMarginals(sizes []int, width int, maxCells, limit int64) int64 {
	n := int64(0)
	var grow func(cells int64, left, next int)
	grow = func(cells int64, left, next int) {
		for a := next; a < len(sizes) && n <= limit; a++ {
			if cells > maxCells/int64(sizes[a]) {
				continue
			}
			if n++; left > 1 {
				grow(cells*int64(sizes[a]), left-1, a+1)
			}
		}
	}
	grow(1, width, 0)
	return n
}

// Cliques returns the cliques of the marginals, in order.
func (w Workload) Cliques() []domain.Clique {
	c := make([]domain.Clique, len(w.Marginals))
	for i := range c {
		c[i] = w.Marginals[i].Clique
	}
	return c
}

// Linear returns the number of linear queries, which is 0 if all are marginals.
func (w Workload) Linear() int {
	n := 0
	for _, m := range w.Marginals {
		if m.Queries != nil {
			n += m.Queries.queries
		}
	}
	return n
}

// Tables returns the workload without its linear queries.
func (w Workload) Tables() Workload {
	w.Marginals = slices.DeleteFunc(slices.Clone(w.Marginals), func(m Marginal) bool { return m.Queries != nil })
	return w
}

// Cells returns the number of cells of each marginal, or queries, and their sum. It fails if a marginal has
// more cells than an int64 counts.
func (w Workload) Cells() (each []int64, sum int64, err error) {
	each = make([]int64, len(w.Marginals))
	for i, m := range w.Marginals {
		if each[i], err = m.Answers(w.Sizes); err != nil {
			return nil, 0, fmt.Errorf("query: %w", err)
		}
		sum += each[i]
	}
	return each, sum, nil
}

// Fingerprint is a hash of the sizes, cliques and weights.
func (w Workload) Fingerprint() [sha256.Size]byte {
	b, err := json.Marshal(w)
	if err != nil {
		panic("query: a workload is plain data and always marshals")
	}
	return sha256.Sum256(b)
}

// Answers holds one value per cell, or linear query, for each marginal of a workload, in its order; row-major inside.
type Answers [][]float64

// NewAnswers returns zero answers of the workload's shape.
func NewAnswers(w Workload) Answers {
	each, sum, err := w.Cells()
	if err != nil {
		panic("query: answers of a workload whose cells cannot be counted")
	}
	all := make([]float64, sum)
	a := make(Answers, len(each))
	for i, n := range each {
		a[i], all = all[:n:n], all[n:]
	}
	return a
}
