package rake

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/mrf"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// Sweeps over all tables: of the tree, of the first fit, which scores and the second one start from, and of everything.
// With half as many again as 6 and 14 the total variation is the same within 1 % on four tables, and 4 % less on 23 binary
// columns; at low ε, where there is no second fit, columns that follow from others want 7.
const (
	treeSweeps  = 20
	firstSweeps = 7
	sweeps      = 14
	tolerance   = .0005 // L1 change of a table in a sweep, of the units
)

// Renewals of the population could take most of a solve. They may take in proportion to the sweeps, whose work follows
// from public figures and the released total.
//
// Below effective they are renewed. With .3 throughout, fits of 100,000 flights ended by chance of the noise with weights
// worth .31 of their number, never renewed, or .86: their triples erred by .099 or .087. Of a year's real flights (336,776
// in 16 columns) pairs err by .041 and triples by .097 at ε = 1 with half of renewalCost and of renewalPart, when the
// weights end worth .1 of their number, and by .037 and .074 with these.
const (
	renewalPart    = 3      // of the time of the sweeps
	effective      = .6     // of their number that the weights are worth, in the first half of the sweeps …
	leastEffective = .3     // … and later
	leastRenewable = 30_000 // records, whatever renewals cost
	mostRenewed    = 32     // renewals of a fit
	renewalCost    = 2e11   // factors that mostRenewed may multiply if they draw all records
)

// startField makes the population: all merged records if they are few, else a sample of a junction
// tree fitted to the one-ways and the pairs that scored highest.
func (r *run) startField() {
	r.oneways = r.oneTables()
	r.field = &population.Field{Base: r.merged.base}
	if cells := cellsOfAll(r.merged.sizes); cells <= float64(r.records()) || r.settings.whole {
		r.field.Model = r.merged.universe(r.total.Units)
		return
	}
	r.field.Tables = slices.Concat(r.oneways, r.measured(r.pairs))
	r.field.Model = r.tree().Sample(r.renewable(r.field.RenewalCost()), r.rng)
	r.assume()
	r.field.Model.StructuralZeros = r.merged.never
	r.field.Model.Exclude() // what the tree could not hold: the rest stands for all, and is renewed if it is little
}

// measured returns the tables of those candidates that have one: released, or assumed.
func (r *run) measured(list []*candidate) []*population.Table {
	var out []*population.Table
	for _, c := range list {
		if t := r.tables[c.clique.Key()]; t != nil {
			out = append(out, t.table)
		}
	}
	return out
}

// records is the size of a sampled population: it follows from the released number of units.
func (r *run) records() int { return recordsFor(r.total.Units, len(r.targets.sizes)) }

// tree returns the fitted junction tree; the potentials of the tables in it are those of the fit.
func (r *run) tree() *mrf.JunctionTree {
	strongest := slices.DeleteFunc(slices.Clone(r.pairs), func(c *candidate) bool { return r.tables[c.clique.Key()] == nil })
	slices.SortStableFunc(strongest, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
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
	tables := slices.Clone(r.oneways)
	for _, t := range r.measured(r.pairs) {
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

// fit rakes the population to what was measured.
func (r *run) fit() {
	triples := r.measured(r.triples)
	most := sweeps
	if len(triples) == 0 {
		most = firstSweeps
	}
	r.rake(slices.Concat(r.measured(r.pairs), triples), most)
}

// rake fits the population to the one-ways and the given tables.
func (r *run) rake(tables []*population.Table, sweeps int) {
	r.field.Tables = slices.Concat(r.oneways, tables)
	report := func(sweep int) { r.problem.Progress.Report("fit", sweep, sweeps) }
	r.renewals += renewalPart * r.sweepsTake(sweeps) / factor
	stop := population.Stop{Sweeps: sweeps, Tolerance: tolerance * r.total.Units, Effective: effective, Least: leastEffective, Swept: report}
	if r.renewals > 0 {
		stop.Rejuvenations, stop.Factors = mostRenewed, r.renewals
	}
	done := r.field.Rake(stop, r.rng)
	r.renewals -= done.Factors
	r.iterations += done.Sweeps
	r.status = solver.Converged
}

// rakesAll reports whether everything measured is raked, and not only descended on.
func (r *run) rakesAll() bool { return !r.settings.whole || r.settings.raked > 0 }

// renewable returns the records of the sample of a tree: no more than can be renewed mostRenewed times at renewalCost. With 60
// columns the tree is so far from the fit that 300,000 records, renewed three times, end worth a hundredth of their
// number, and one-ways forty times further off than their noise.
func (r *run) renewable(factors float64) int {
	most := max(renewalCost/(mostRenewed*factors), leastRenewable)
	return int(min(most, float64(r.records())))
}

// sweepsTake returns the seconds of so many sweeps over the tables of the fit.
func (r *run) sweepsTake(sweeps int) float64 {
	cliques := make([]domain.Clique, len(r.field.Tables))
	for i, t := range r.field.Tables {
		cliques[i] = t.Clique
	}
	return sweepsOf(r.merged.sizes, cliques, sweeps, visit*float64(r.field.Model.Len()))
}

// onesPart is how far one-ways may be from their targets, of their noise: their errors are then at most 1.5 times
// that noise.
const onesPart = .5

// meetOneWays moves a sample on merged codes to its one-ways if the fit has not: the distributions of the columns are
// then right even if it stopped early.
func (r *run) meetOneWays(m *population.Model) {
	off, noise := r.onesOff(m, 0)
	if off <= onesPart*noise {
		return
	}
	var tables []*population.Table
	for _, t := range r.oneways {
		ridge := slices.Clone(t.Ridge)
		for v := range ridge {
			ridge[v] /= oneWayRidge
		}
		tables = append(tables, population.NewTable(m.Sizes, t.Clique, t.Target, ridge))
	}
	m.FitOneWays(tables, onesPart/2*noise)
}

// onesOff returns how far the one-ways of a model are from their targets, all in all, and how far noise lets those be from
// the truth, but at least the given count for each column.
func (r *run) onesOff(m *population.Model, least float64) (off, noise float64) {
	for _, t := range r.oneways {
		for v, x := range m.Marginal(t.Clique, nil) {
			off += math.Abs(x - t.Target[v])
		}
		a := t.Clique[0] // the mean of |noise| is .8 standard deviations
		noise += max(.8*r.oneWays[a].sigma*float64(len(r.oneWays[a].counts)), least)
	}
	return off, noise
}

// How far measured pairs may be from what was released before a fit is said to have stopped early: shrinkage leaves them
// .1 to 1.1 times the noise away.
const (
	pairsPart = 1.5  // of the noise …
	pairShows = .005 // … which counts as so large a part of the units at least
)

// judge says that the fit was stopped early if it shows: in one-ways, or in pairs that were measured.
func (r *run) judge(m *population.Model) {
	offOnes, noiseOnes := r.onesOff(m, tolerance*r.total.Units) // less shows nowhere
	off, noise := r.pairsOff(m, pairShows*r.total.Units)
	if offOnes > noiseOnes || off > pairsPart*noise {
		r.status = solver.IterationLimit
	}
}

// pairsOff returns how far measured pairs of a model are from what was released, and how far noise lets that be from the
// truth, like onesOff.
func (r *run) pairsOff(m *population.Model, least float64) (off, noise float64) {
	measured := slices.DeleteFunc(slices.Clone(r.pairs), func(c *candidate) bool { return r.answered(c.clique.Key()) == nil })
	for i, counts := range m.Marginals(candidateCliques(measured)) {
		t := r.tables[measured[i].clique.Key()]
		population.Center(counts, t.shape)
		for j, x := range counts {
			off += math.Abs(x - t.values[j])
		}
		noise += max(.8*float64(len(counts))/math.Sqrt(t.precision), least)
	}
	return off, noise
}

// model returns the population on original codes.
func (r *run) model() (*population.Model, error) {
	sizes := r.targets.sizes
	if r.settings.whole {
		if len(r.pairs) > 0 {
			if err := r.descend(); err != nil {
				return nil, err
			}
			r.judge(r.field.Model)
		}
		return r.merged.undoUniverse(r.field.Model, sizes), nil
	}
	m := r.field.Model
	if m.Columns == nil { // few merged records for many original ones: as many copies as a sample has
		m = m.Resample(r.records(), r.rng)
	}
	r.meetOneWays(m)
	r.judge(m)
	m = r.merged.undoSample(m, sizes, r.rareScores(m), r.rng)
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
