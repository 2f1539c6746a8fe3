package rake

import (
	"maps"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// targets are the tables that the workload makes worth measuring: its one-, two- and three-way
// marginals and those inside wider ones.
type targets struct {
	sizes   []int
	covered []bool    // whether the workload holds the attribute
	weight  []float64 // of each attribute: Σ over target tables that hold it
	pairs   []target
	triples []target
}

// target is a table with its weights in the workload.
type target struct {
	clique domain.Clique
	own    float64 // of the table as an answer in its own right; 0 for a pair that only triples need
	within float64 // own, plus those of the triples around it
	times  float64 // how many targets it stands for in a forecast; 0: itself
}

// LargestTable is the most cells of a table that is measured. The attributes of larger ones stay linked
// through others.
const LargestTable = 1 << 20

// WidestTable is the most attributes of a table that is measured.
const WidestTable = 3

// newTargets reads the workload. Marginals inside others are answered with them.
func newTargets(p solver.Problem) targets {
	w := p.Workload.Maximal()
	t := targets{sizes: w.Sizes, covered: make([]bool, len(w.Sizes)), weight: make([]float64, len(w.Sizes))}
	pairs, triples := index{}, index{}
	for _, m := range w.Marginals {
		for _, a := range m.Clique {
			t.covered[a] = true
		}
		switch len(m.Clique) {
		case 0, 1:
			for _, a := range m.Clique {
				t.weight[a] += m.Weight
			}
		case 2:
			pairs.add(m.Clique, m.Weight, m.Weight)
		default:
			for _, c := range subsets(m.Clique, 3) {
				triples.add(c, m.Weight, m.Weight)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(triples)) { // sums have one order
		x := triples[key]
		for _, c := range subsets(x.clique, 2) {
			pairs.add(c, 0, x.own)
		}
	}
	t.pairs, t.triples = pairs.list(t.sizes), triples.list(t.sizes)
	for _, list := range [][]target{t.pairs, t.triples} {
		for _, x := range list {
			for _, a := range x.clique {
				t.weight[a] += x.own
			}
		}
	}
	return t
}

// index collects targets by clique.
type index map[string]*target

func (x index) add(c domain.Clique, own, within float64) {
	t := x[c.Key()]
	if t == nil {
		t = &target{clique: c}
		x[c.Key()] = t
	}
	t.own += own
	t.within += within
}

// list returns the targets that can be counted, in the order of their cliques.
func (x index) list(sizes []int) []target {
	var out []target
	for _, t := range x {
		if n, err := t.clique.Cells(sizes); err == nil && n <= LargestTable {
			out = append(out, *t)
		}
	}
	slices.SortFunc(out, func(a, b target) int { return a.clique.Compare(b.clique) })
	return out
}

// subsets returns the subsets of c of the given size, in lexicographic order.
func subsets(c domain.Clique, size int) []domain.Clique {
	if size == 0 {
		return []domain.Clique{{}}
	}
	var out []domain.Clique
	for i := 0; i+size <= len(c); i++ {
		for _, rest := range subsets(c[i+1:], size-1) {
			out = append(out, append(domain.Clique{c[i]}, rest...))
		}
	}
	return out
}
