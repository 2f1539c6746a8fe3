package population

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Exclude sets the weight of every impossible record to 0. If that leaves no weight, a possible record has all of it: of
// a sampled model, that record replaces the first. The sum of the weights is not restored otherwise. A model stays empty
// if every record is impossible.
func (m *Model) Exclude() {
	if len(m.StructuralZeros) == 0 {
		return
	}
	total := m.Total()
	if m.Columns == nil {
		m.StructuralZeros.Cells(m.all(), m.Sizes, func(cell int) { m.Weights[cell] = 0 })
	} else {
		m.eachStructuralZero(func(i int) { m.Weights[i] = 0 })
	}
	if m.Total() > 0 {
		return
	}
	record, ok := m.StructuralZeros.Witness(m.Sizes)
	switch {
	case !ok:
	case m.Columns == nil:
		m.Weights[m.all().Cell(m.Sizes, record)] = total
	default:
		for a, c := range record {
			m.Columns[a] = slices.Clone(m.Columns[a])
			m.Columns[a][0] = c
		}
		m.Weights[0] = total
	}
}

// zeroWeight returns the sum of the weights of impossible records.
func (m *Model) zeroWeight() float64 {
	sum := 0.0
	if m.Columns == nil {
		m.StructuralZeros.Cells(m.all(), m.Sizes, func(cell int) { sum += m.Weights[cell] })
		return sum
	}
	m.eachStructuralZero(func(i int) { sum += m.Weights[i] })
	return sum
}

// eachStructuralZero calls visit with every listed record that is impossible.
func (m *Model) eachStructuralZero(visit func(i int)) {
	if len(m.StructuralZeros) == 0 {
		return
	}
	support, record := domain.NewSupport(m.Sizes, m.StructuralZeros), make([]domain.Code, len(m.Sizes))
	for i := range m.Weights {
		if !support.Possible(m.Record(i, record)) {
			visit(i)
		}
	}
}

// all returns the clique of all attributes.
func (m *Model) all() domain.Clique { return domain.All(len(m.Sizes)) }

// excluder returns a function that sets the odds of the values of attribute a which would make record i
// impossible to 0. A possible record keeps at least the value that it has. The function is not for several goroutines.
func (m *Model) excluder(a int) func(i int, odds []float32) {
	var touching domain.Exclusions
	for _, e := range m.StructuralZeros {
		if slices.Contains(e.Clique, a) {
			touching = append(touching, e)
		}
	}
	if touching == nil {
		return func(int, []float32) {}
	}
	support, record := domain.NewSupport(m.Sizes, touching), make([]domain.Code, len(m.Sizes))
	return func(i int, odds []float32) {
		support.Forbidden(m.Record(i, record), a, func(member []bool) {
			for v, in := range member {
				if in {
					odds[v] = 0
				}
			}
		})
	}
}
