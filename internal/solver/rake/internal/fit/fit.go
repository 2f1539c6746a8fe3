// Package fit fits a population of weighted records to released tables: a tree starts it, raking and descent move it, and priors of
// cells hold it. It tells how far the model is from what was released.
package fit

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/mrf"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/solver"
)

// Sweeps over all tables: of the tree, of the first fit, which scores and the second one start from, and of everything.
// With half as many again as 6 and 14 the total variation is the same within 1 % on four tables, and 4 % less on 23 binary
// columns; at low ε, where there is no second fit, columns that follow from others want 7.
const (
	treeSweeps  = 20
	FirstSweeps = 7
	Sweeps      = 14
	tolerance   = .0005 // L1 change of a table in a sweep, of the units
)

// Options are the public choices of a fit.
type Options struct {
	Whole     bool    // the population is the universe
	Deviation float64 // ridge: standard deviation of a cell, as a multiple of what the score says
	Raked     float64 // part of the raked weights in the model of a whole universe; the descended ones have the rest
}

// RakesAll reports whether everything measured is raked, and not only descended on.
func (o Options) RakesAll() bool { return !o.Whole || o.Raked > 0 }

// Fit is the fit of a population to what has been released.
type Fit struct {
	Options
	*choose.Candidates
	problem solver.Problem
	rng     *rand.Rand

	measured map[string]*measurement // by clique
	copies   map[string]*population.Table
	oneways  []*population.Table
	field    *population.Field

	Iterations int
	renewals   float64 // factors that renewals may still multiply
	Used       *solver.PublicUse
}

// New returns the fit of a problem before anything has been released of its candidates.
func New(p solver.Problem, o Options, c *choose.Candidates, rng *rand.Rand) *Fit {
	f := &Fit{Options: o, problem: p, Candidates: c, rng: rng, measured: map[string]*measurement{}, copies: map[string]*population.Table{}}
	for _, c := range c.Targets.Attributes() {
		f.oneways = append(f.oneways, f.oneTable(c[0]))
	}
	return f
}

// Start makes the population and rakes it to the pairs released so far.
func (f *Fit) Start() {
	f.startField()
	if len(f.Pairs) > 0 || len(f.Merged.Never) > 0 { // exclusions alone link attributes
		f.Refit()
	}
}

// startField makes the population: all merged records if they are few, else a sample of a junction
// tree fitted to the one-ways and the pairs that scored highest.
func (f *Fit) startField() {
	f.field = &population.Field{Base: f.Merged.Base}
	if cells := dense.Cells(f.Merged.Sizes); cells <= float64(f.records()) || f.Whole {
		f.field.Model = f.Merged.Universe(f.Units)
		return
	}
	f.field.Tables = slices.Concat(f.oneways, f.tablesOf(f.Pairs))
	f.field.Model = f.tree().Sample(Renewable(f.records(), f.field.RenewalCost()), f.rng)
	f.assume()
	f.field.Model.StructuralZeros = f.Merged.Never
	f.field.Model.Exclude() // what the tree could not hold: the rest stands for all, and is renewed if it is little
}

// tablesOf returns the tables of those candidates that have one: released, or assumed.
func (f *Fit) tablesOf(list []*choose.Candidate) []*population.Table {
	var out []*population.Table
	for _, c := range list {
		if t := f.measured[c.Clique.Key()]; t != nil {
			out = append(out, t.table)
		}
	}
	return out
}

// records is the size of a sampled population: it follows from the released number of units.
func (f *Fit) records() int { return Records(f.Units, len(f.Targets.Sizes)) }

// tree returns the fitted junction tree; the potentials of the tables in it are the fit's.
func (f *Fit) tree() *mrf.JunctionTree {
	strongest := slices.DeleteFunc(slices.Clone(f.Pairs), func(c *choose.Candidate) bool { return f.measured[c.Clique.Key()] == nil })
	slices.SortStableFunc(strongest, func(a, b *choose.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	order := f.Merged.ExcludedCliques(TreeCells)
	for _, c := range strongest {
		order = append(order, c.Clique)
	}
	_, maximal := mrf.Skeleton(f.Merged.Sizes, order, TreeCells, f.rng)
	tree := mrf.NewJunctionTree(f.Merged.Sizes, maximal)
	for a, p := range f.Merged.Base {
		tree.Multiply(domain.Clique{a}, p)
	}
	for _, e := range f.Merged.Never {
		if tree.Covers(e.Clique) {
			tree.Multiply(e.Clique, allowed(f.Merged.Sizes, e))
		}
	}
	tree.Calibrate(f.Units)
	tables := slices.Clone(f.oneways)
	for _, t := range f.tablesOf(f.Pairs) {
		if tree.Covers(t.Clique) {
			tables = append(tables, t)
		}
	}
	tree.Rake(tables, treeSweeps, tolerance*f.Units)
	return tree
}

// allowed returns the table of an exclusion's attributes with 0 in the cells that it holds for and else 1.
func allowed(sizes []int, e domain.Exclusion) []float64 {
	cells, _ := e.Clique.Cells(sizes) // the tree holds more
	out := slices.Repeat([]float64{1}, int(cells))
	domain.Exclusions{e}.Cells(e.Clique, sizes, func(cell int) { out[cell] = 0 })
	return out
}

// Refit rakes the population to what was measured.
func (f *Fit) Refit() {
	triples := f.tablesOf(slices.Concat(f.Triples, f.Wide))
	most := Sweeps
	if len(triples) == 0 {
		most = FirstSweeps
	}
	f.rake(slices.Concat(f.tablesOf(f.Pairs), triples, f.before()), most)
}

// rake fits the population to the one-ways and the given tables.
func (f *Fit) rake(tables []*population.Table, sweeps int) {
	f.field.Tables = slices.Concat(f.oneways, tables)
	report := func(sweep int) { f.problem.Progress.Report("fit", sweep, sweeps) }
	f.renewals += renewalPart * f.sweepsTake(sweeps) / factor
	stop := population.Stop{Sweeps: sweeps, Tolerance: tolerance * f.Units, Effective: effective, Least: leastEffective, Swept: report}
	if f.renewals > 0 {
		stop.Rejuvenations, stop.Factors = mostRenewed, f.renewals
	}
	done := f.field.Rake(stop, f.rng)
	f.renewals -= done.Factors
	f.Iterations += done.Sweeps
}

// sweepsTake returns the seconds of so many sweeps over the tables of the fit.
func (f *Fit) sweepsTake(sweeps int) float64 {
	cliques := lists.Of(f.field.Tables, func(t *population.Table) domain.Clique { return t.Clique })
	return SweepSeconds(f.Merged.Sizes, cliques, sweeps, Visit*float64(f.field.Model.Len()))
}

// Model returns the fitted population, on merged codes.
func (f *Fit) Model() (*population.Model, error) {
	if f.Whole {
		if part := f.rakedPart(); len(f.Pairs) > 0 && part < 1 {
			raked := slices.Clone(f.field.Model.Weights)
			if err := f.descend(part); err != nil {
				return nil, err
			}
			f.keepBetter(raked)
		}
		return f.field.Model, nil
	}
	if f.field.Model.Columns == nil { // few merged records for many original ones: as many copies as a sample has
		return f.field.Model.Resample(f.records(), f.rng), nil
	}
	return f.field.Model, nil
}

// SetBases gives candidates the tables of the model so far as bases.
func (f *Fit) SetBases(list []*choose.Candidate) {
	for i, base := range f.field.Model.Marginals(choose.CandidateCliques(list)) {
		list[i].SetBase(base)
	}
}

// Raked weights miss the answers by Square/Freedom. In sparse tables they are the model up to mostAlone: bands of two columns have .35
// to .95, and err by 3 to 26 % less than means with descended weights do. Copies and tables of zeros have .94 to 1.05, and err by up to
// 35 % more. Beyond mostBeside means err more than descended weights alone: by 45 % where columns are copies but for 1 %, at ε = 3.
const mostAlone, mostBeside = .96, 1.1

// rakedPart is the part of the raked weights in the model of a whole universe, by how far they are from the answers.
func (f *Fit) rakedPart() float64 {
	if !f.RakesAll() {
		return 0
	}
	test := f.test(f.field.Model)
	switch {
	case f.sparse() && test.Square <= mostAlone*test.Freedom:
		return 1
	case test.Square > mostBeside*test.Freedom:
		return 0
	}
	return f.Raked
}

// sparse reports whether most cells of most pairs are empty, which the descent does not know. It alone knows a public table.
func (f *Fit) sparse() bool {
	most, all := 0, 0
	for _, c := range f.Pairs {
		if t := f.answered(c.Clique.Key()); t != nil {
			if all += len(t.values); t.sparse {
				most += len(t.values)
			}
		}
	}
	return f.problem.Public == nil && 2*most > all
}

// oneWayRidge is the ridge of one-way tables, of their noise variance. They come before everything else: noise of a pair
// that ought to be below 0 in a cell cannot be met, that above 0 is, so that pairs pull at one-ways as one. At a
// hundredth the one-ways of a schedule of 300,000 flights end a third further off than their noise, at ε = 1.
const oneWayRidge = .001

// oneTable returns the one-way table of attribute a on merged codes, whose target is the estimate.
func (f *Fit) oneTable(a int) *population.Table {
	target, ridge := make([]float64, f.Merged.Sizes[a]), make([]float64, f.Merged.Sizes[a])
	for _, code := range f.Merged.Codes[a] {
		ridge[code] += oneWayRidge * f.Ones.List[a].Sigma * f.Ones.List[a].Sigma
	}
	for v, p := range f.Merged.Base[a] {
		target[v] = f.Units * p
	}
	return population.NewTable(f.Merged.Sizes, domain.Clique{a}, target, ridge)
}
