package rake

import (
	"slices"

	"github.com/dapple-dp/dapple/solver"
)

// uncertainty returns what is known about the error of every cell: the noise of the one-way tables, and of
// each pair and scored triple the prior that its last score calls for, and with what precision its residual
// was measured after that. All of it follows from releases.
func (r *run) uncertainty() *solver.Uncertainty {
	u := &solver.Uncertainty{Ones: make([]float64, len(r.ones)), Pooled: make([][]bool, len(r.ones))}
	for a, one := range r.ones {
		u.Ones[a] = one.sigma * one.sigma
		u.Pooled[a] = r.merged.alone(a)
		for v, alone := range u.Pooled[a] {
			u.Pooled[a][v] = !alone
		}
	}
	for _, c := range slices.Concat(r.pairs, r.triples) {
		t := solver.TableUncertainty{Clique: c.clique, Scale: c.scale}
		if r.tables[c.clique.Key()] != nil { // of the last release: the score has seen what came before
			t.Precision = c.precision
		}
		u.Tables = append(u.Tables, t)
	}
	return u
}

// alone says of every value of attribute a whether it has a code of its own.
func (m *merged) alone(a int) []bool {
	members, out := make([]int, m.sizes[a]), make([]bool, len(m.codes[a]))
	for _, c := range m.codes[a] {
		members[c]++
	}
	for v, c := range m.codes[a] {
		out[v] = members[c] == 1
	}
	return out
}
