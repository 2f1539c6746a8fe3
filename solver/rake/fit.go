package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/mrf"
	"github.com/dapple-dp/dapple/solver/population"
)

const (
	treeSweeps = 20
	sweeps     = 12
	tolerance  = .002 // L1 change of a table in a sweep, of the units
	renewals   = 40
	effective  = .3
)

// startField makes the population: all merged records where they are few, else a sample of a junction
// tree fitted to the one-ways and the pairs that scored highest.
func (r *run) startField() {
	ones := r.oneTables()
	r.field = &population.Field{Base: r.merged.base, Ones: ones, Tables: slices.Clone(ones)}
	for _, c := range r.pairs {
		if t := r.tables[c.clique.Key()]; t != nil {
			r.field.Tables = append(r.field.Tables, t)
		}
	}
	if cells := r.mergedCells(); cells <= float64(r.records()) || r.settings.whole {
		r.field.Model = r.merged.universe(r.total.Units)
		return
	}
	r.field.Model = r.tree(ones).Sample(r.records(), r.rng)
	r.field.Model.Impossible = r.merged.never
	r.field.Model.Exclude() // what the tree could not hold: the rest stands for all, and is renewed if it is little
}

// records is the size of a sampled population: it follows from the released number of units.
func (r *run) records() int { return recordsFor(r.total.Units, len(r.targets.sizes)) }

func (r *run) mergedCells() float64 {
	cells := 1.0
	for _, k := range r.merged.sizes {
		cells *= float64(k)
	}
	return cells
}

// tree returns the fitted junction tree; the potentials of the tables in it are those of the fit.
func (r *run) tree(ones []*population.Table) *mrf.JunctionTree {
	strongest := slices.DeleteFunc(slices.Clone(r.pairs), func(c *candidate) bool { return r.tables[c.clique.Key()] == nil })
	slices.SortStableFunc(strongest, func(a, b *candidate) int { return compareDown(a.score, b.score) })
	order := r.merged.excludedCliques(treeCells)
	for _, c := range strongest {
		order = append(order, c.clique)
	}
	_, maximal := mrf.Skeleton(r.merged.sizes, order, treeCells, r.rng)
	tree := mrf.NewJunctionTree(r.merged.sizes, maximal)
	for a, p := range r.merged.base {
		tree.Multiply(domain.Clique{a}, p)
	}
	for _, e := range r.merged.never {
		if tree.Covers(e.Clique) {
			tree.Multiply(e.Clique, allowed(r.merged.sizes, e))
		}
	}
	tree.Calibrate(r.total.Units)
	tables := slices.Clone(ones)
	for _, t := range r.field.Tables[len(ones):] {
		if tree.Covers(t.Clique) {
			tables = append(tables, t)
		}
	}
	tree.Rake(tables, treeSweeps, tolerance*r.total.Units)
	return tree
}

// allowed returns the table of an exclusion's attributes with 0 in the cells that it holds for and else 1.
func allowed(sizes []int, e domain.Exclusion) []float64 {
	cells, _ := e.Clique.Cells(sizes) // the tree holds more
	out := slices.Repeat([]float64{1}, int(cells))
	domain.Exclusions{e}.Cells(e.Clique, sizes, func(cell int) { out[cell] = 0 })
	return out
}

// rake fits the population to all tables measured so far.
func (r *run) rake() {
	done := r.field.Rake(population.Stop{Sweeps: sweeps, Tolerance: tolerance * r.total.Units,
		Rejuvenations: renewals, Effective: effective}, r.rng)
	r.iterations += done.Sweeps
	r.status = solver.Converged
	if done.Change >= tolerance*r.total.Units {
		r.status = solver.IterationLimit
	}
}

// model returns the population on original codes.
func (r *run) model() (*population.Model, error) {
	sizes := r.targets.sizes
	if r.settings.whole {
		if len(r.pairs) > 0 {
			if err := r.descend(); err != nil {
				return nil, err
			}
		}
		return r.merged.undoUniverse(r.field.Model, sizes), nil
	}
	m := r.field.Model
	if m.Columns == nil { // few merged records for many original ones: as many copies as a sample has
		m = m.Resample(r.records(), r.rng)
	}
	m = r.merged.undoSample(m, sizes, r.rng)
	scaleTo(m.Weights, r.total.Units)
	return m, nil
}

// scaleTo makes the weights sum to units.
func scaleTo(weights []float64, units float64) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if f := units / sum; !math.IsInf(f, 0) && !math.IsNaN(f) {
		for i := range weights {
			weights[i] *= f
		}
	}
}
