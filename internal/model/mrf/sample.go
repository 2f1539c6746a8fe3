package mrf

import (
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Sample returns n records of equal weight that represent the calibrated tree. Attributes are filled in
// clique by clique from the root: records that agree on the separator share out the new attributes'
// values with counts within 1 of their expectation, in random order. The weights sum to the tree's total.
func (t *JunctionTree) Sample(n int, rng *rand.Rand) *population.Model {
	weight := sum(t.nodes[0].belief) / float64(n)
	m := &population.Model{Sizes: t.sizes, Columns: make([][]domain.Code, len(t.sizes)), Weights: slices.Repeat([]float64{weight}, n)}
	for a := range m.Columns {
		m.Columns[a] = make([]domain.Code, n)
	}
	t.fill(t.nodes[0], nil, nil, m, rng)
	return m
}

// fill samples the attributes of n beyond the separator's, then the attributes of its other neighbours.
func (t *JunctionTree) fill(n, parent *node, separator domain.Clique, m *population.Model, rng *rand.Rand) {
	fresh := domain.Clique{}
	for _, a := range n.clique {
		if !slices.Contains(separator, a) {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) > 0 {
		t.shareOut(n, separator, fresh, m, rng)
	}
	for _, l := range n.links {
		if l.to != parent {
			t.fill(l.to, n, l.edge.clique, m, rng)
		}
	}
}

// shareOut draws the fresh attributes given the separator's, for each group of records that agree there.
func (t *JunctionTree) shareOut(n *node, separator, fresh domain.Clique, m *population.Model, rng *rand.Rand) {
	conditional, width := t.conditional(n, separator, fresh)
	order, starts := group(m, separator, len(conditional)/width)
	var cells []int32
	for s := 0; s+1 < len(starts); s++ {
		records := order[starts[s]:starts[s+1]]
		if len(records) == 0 {
			continue
		}
		cells = population.Apportion(conditional[s*width:(s+1)*width], len(records), cells[:0], rng)
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		for i, r := range records {
			setCodes(m, fresh, int(r), int(cells[i]))
		}
	}
}

// conditional returns the belief of n as a matrix: a row for each cell of the separator, and in it one
// entry for each cell of fresh.
func (t *JunctionTree) conditional(n *node, separator, fresh domain.Clique) (matrix []float64, width int) {
	rows, columns := population.NewProjection(t.sizes, n.clique, separator), population.NewProjection(t.sizes, n.clique, fresh)
	width = len(ones(t.sizes, fresh))
	matrix = make([]float64, len(n.belief))
	for c, x := range n.belief {
		matrix[rows.Cell(c)*width+columns.Cell(c)] = x
	}
	return matrix, width
}

// group sorts the records by their cell of c: the records of cell s are order[starts[s]:starts[s+1]].
func group(m *population.Model, c domain.Clique, cells int) (order, starts []int32) {
	n := m.Len()
	cell := make([]int32, n)
	for _, a := range c {
		size := int32(m.Sizes[a])
		for i, v := range m.Columns[a] {
			cell[i] = cell[i]*size + int32(v)
		}
	}
	starts = make([]int32, cells+1)
	for _, s := range cell {
		starts[s+1]++
	}
	for s := 0; s < cells; s++ {
		starts[s+1] += starts[s]
	}
	order, next := make([]int32, n), slices.Clone(starts)
	for i, s := range cell {
		order[next[s]] = int32(i)
		next[s]++
	}
	return order, starts
}

// setCodes writes the codes of a cell of c to record r.
func setCodes(m *population.Model, c domain.Clique, r, cell int) {
	for i := len(c) - 1; i >= 0; i-- {
		size := m.Sizes[c[i]]
		m.Columns[c[i]][r] = domain.Code(cell % size)
		cell /= size
	}
}
