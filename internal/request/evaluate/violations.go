package evaluate

import (
	"github.com/dapple-dp/dapple/dp/domain"
)

// Violations counts the rows of both tables that the domain declares impossible.
type Violations struct {
	Real      int         `json:"real"`      // rows of the true table that any combination holds for
	Synthetic int         `json:"synthetic"` // 0 for rows of this program
	Each      []Violation `json:"each"`      // by combination, in the order of the domain
}

// Violation counts the rows that one impossible combination holds for.
type Violation struct {
	Columns   []string   `json:"columns"`
	Cells     [][]string `json:"cells"` // for each column, the labels that are impossible together
	Real      int        `json:"real"`
	Synthetic int        `json:"synthetic"`
}

// violations returns nil if the domain declares nothing to be impossible.
func violations(truth, other *Table, d *domain.Domain) *Violations {
	if len(d.StructuralZeros) == 0 {
		return nil
	}
	v := &Violations{Each: make([]Violation, len(d.StructuralZeros))}
	for i, e := range d.StructuralZeros {
		x := &v.Each[i]
		x.Columns = e.Clique.Names(d)
		for j := range e.Clique {
			x.Cells = append(x.Cells, zeroLabels(d, e, j))
		}
		x.Real, x.Synthetic = truth.violating(domain.Exclusions{e}), other.violating(domain.Exclusions{e})
	}
	v.Real, v.Synthetic = truth.violating(d.StructuralZeros), other.violating(d.StructuralZeros)
	return v
}

// zeroLabels names the cells of the i-th attribute of an exclusion.
func zeroLabels(d *domain.Domain, e domain.Exclusion, i int) (labels []string) {
	for _, code := range e.Codes[i] {
		labels = append(labels, d.Attributes[e.Clique[i]].Label(code))
	}
	return labels
}

// violating returns the number of rows that any of the exclusions holds for.
func (t *Table) violating(x domain.Exclusions) int {
	support, record, n := domain.NewSupport(t.Sizes, x), make([]domain.Code, len(t.Sizes)), 0
	for r := range t.Rows {
		for a := range record {
			record[a] = t.Columns[a][r]
		}
		if !support.Possible(record) {
			n++
		}
	}
	return n
}
