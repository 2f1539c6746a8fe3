package population

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Model is a released distribution over records: a list of records with weights. If Columns is nil
// the records are all cells of the universe in row-major order, the last attribute fastest, and
// Weights has one entry for each.
type Model struct {
	Sizes   []int           // cells of each attribute
	Columns [][]domain.Code // Columns[a][i] is attribute a of record i; nil: the whole universe
	Weights []float64       // at least 0, not all 0; any sum

	// StructuralZeros are records of probability 0: they have no weight, and no row is one of them.
	StructuralZeros domain.Exclusions
}

// Len returns the number of weighted records.
func (m *Model) Len() int { return len(m.Weights) }

// Validate checks the shapes, that the weights are finite, at least 0 and not all 0, and that impossible
// records have none.
func (m *Model) Validate() error {
	if m.Columns == nil {
		k := 1
		for _, s := range m.Sizes {
			k *= s
		}
		if k != len(m.Weights) {
			return fmt.Errorf("population: %d weights for a universe of %d cells", len(m.Weights), k)
		}
	} else if len(m.Columns) != len(m.Sizes) {
		return fmt.Errorf("population: %d columns for %d attributes", len(m.Columns), len(m.Sizes))
	}
	for a, col := range m.Columns {
		if len(col) != len(m.Weights) {
			return fmt.Errorf("population: column %d has %d records, want %d", a, len(col), len(m.Weights))
		}
		for _, c := range col {
			if int(c) >= m.Sizes[a] {
				return fmt.Errorf("population: column %d has a code beyond its %d cells", a, m.Sizes[a])
			}
		}
	}
	sum := 0.0
	for _, w := range m.Weights {
		if !(w >= 0) {
			return fmt.Errorf("population: weight %g: want a number of at least 0", w)
		}
		sum += w
	}
	if !(sum > 0) || sum > 1e300 {
		return fmt.Errorf("population: weights sum to %g: want a finite number above 0", sum)
	}
	if w := m.zeroWeight(); w != 0 {
		return fmt.Errorf("population: impossible records weigh %g: want 0", w)
	}
	return nil
}
