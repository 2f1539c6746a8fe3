package rake

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/fit"
	"github.com/dapple-dp/dapple/solver"
)

// Cost returns the memory of a solve in bytes, and its CPU time in seconds on one core of 2024 without
// counting and noise, from public figures alone: the work of the sweeps on a typical table, as fits rarely leave
// any sweep out, and renewals by the number of columns. It is less on tables with columns of one value, and up to twice as much
// where columns nearly follow from each other, as renewals may take longer than sweeps.
func Cost(p solver.Problem) (bytes, seconds float64) {
	t := choose.NewTargets(p)
	return memory(p, t), duration(p, t)
}

// What the parts of a solve take besides sweeps and renewals, in seconds: measured with whole runs and profiles at ε = .1 to 10.
const (
	visitWhole = 2e-9  // for a cell of a universe and pass
	descended  = 35e-9 // for a cell of a universe and step of the descent
	laidOut    = 6e-7  // for a cell of a universe that was not merged: tests of the fit, refining, publishing
	treeOf     = .15   // for the junction tree: less if pairs are small
	triedPair  = 13e-9 // for a pair that the tree is tried with, and square of columns …
	triedMost  = 6     // … at most so many pairs for a column; see triangulating
	oneCell    = 2e-9  // for a record, column and pass that meets one-ways
	fitPasses  = 20    // of those, if columns follow from each other

	manyColumns = 60  // from which renewals take …
	renewing    = 1.5 // … this part of the time of the sweeps
)

// duration returns the CPU seconds of a solve.
func duration(p solver.Problem, t choose.Targets) float64 {
	f, err := Predict(p, budgetOf(p), nil)
	if err != nil {
		return math.NaN()
	}
	r, sizes := f.run, f.run.tables.Merged.Sizes
	linked := func(list []choose.Target) []domain.Clique { // those that merging leaves something of
		return slices.DeleteFunc(choose.Cliques(list), func(c domain.Clique) bool { return slices.Min(population.Shape(sizes, c)) == 1 })
	}
	oneWays, pairs, triples := t.Attributes(), linked(t.Pairs), linked(t.Triples)
	scored, _ := population.Work(sizes, triples[:min(len(triples), r.settings.triples)])
	pairs, triples = part(pairs, r.tables.Pairs), part(triples, r.tables.Triples)
	slices.SortStableFunc(triples, func(x, y domain.Clique) int { // those that take most
		return cmp.Compare(dense.Cells(population.Shape(sizes, y)), dense.Cells(population.Shape(sizes, x)))
	})
	first := slices.Concat(oneWays, pairs)
	final := slices.Concat(first, triples[:min(len(triples), measuredTriples)], part(linked(t.Wide), r.tables.Wide))
	work := func(pass float64) float64 {
		seconds := pass * float64(scored)
		if r.settings.RakesAll() && !r.law.Laplace() {
			return seconds + fit.SweepSeconds(sizes, first, fit.FirstSweeps, pass) + fit.SweepSeconds(sizes, final, fit.Sweeps, pass)
		}
		return seconds + fit.SweepSeconds(sizes, first, fit.FirstSweeps, pass)
	}
	switch cells := dense.Cells(sizes); {
	case r.settings.Whole:
		return work(visitWhole*cells) + descended*cells*descentSteps(p, t) + laidOut*dense.Cells(t.Sizes)
	case cells <= float64(fit.Records(r.total.Units, len(sizes))):
		return work(visitWhole * cells)
	}
	records := float64(fit.Renewable(fit.Records(r.total.Units, len(sizes)), factors(sizes, first)))
	wide := min(1, float64(len(oneWays))/manyColumns)
	return (1+renewing*wide*wide)*work(fit.Visit*records) + treeOf + triangulating(len(oneWays), len(pairs)) + records*oneCell*fitPasses*float64(len(oneWays))
}

// triangulating returns the seconds that finding a junction tree takes: each pair is tried with the pairs kept before, which have more
// neighbours the more there are. Of two tables of 300 columns and 2,000 people it took 10 and 22 s, and this says 12. Where all pairs of
// fewer columns are tried it takes longer, but little of the run.
func triangulating(columns, pairs int) float64 {
	n := float64(columns)
	each := min(float64(pairs)/max(n, 1), triedMost)
	return triedPair * n * n * n * each * (1 + each*each/8)
}

// factors returns how many factors a renewal multiplies for a record; see population.Field.RenewalCost.
func factors(sizes []int, tables []domain.Clique) float64 {
	sum := 0
	for _, c := range tables {
		for _, a := range c {
			sum += sizes[a] + population.PlaceCost
		}
	}
	return float64(sum)
}

// part returns as large a part of the list, regularly spread, as is measured of the candidates.
func part(list []domain.Clique, candidates []*choose.Candidate) []domain.Clique {
	measured := 0
	for _, c := range candidates {
		if c.Released() {
			measured++
		}
	}
	return choose.Regular(list, len(list)*measured/max(1, len(candidates)))
}

// descentSteps returns the steps of a descent: more the less noise there is to stop at. Of 90 runs of 2,000 to 100,000 people at ε = .3
// to 10, with pairs and triples of 7, 9 and 20 columns, all take between half and twice the CPU that is told with these constants.
func descentSteps(p solver.Problem, t choose.Targets) float64 {
	if len(t.Pairs) == 0 { // there is none
		return 0
	}
	return min(8*math.Pow(relativeNoise(p, t, p.Units), -.4), 600)
}

// Limits says which public caps a run has, for people.
func Limits(p solver.Problem) string {
	model := "the model is every cell of the domain"
	if !fitsWhole(p) {
		model = fmt.Sprintf("the model is %d weighted records (more for more units, at most %d; fewer if many columns make renewals costly), first drawn from a junction tree of at most %.0f cells; renewals, if columns nearly follow from each other, take at most about one and a half times as long as all else",
			fit.Records(p.Units, len(p.Workload.Sizes)), fit.Records(math.Inf(1), len(p.Workload.Sizes)), fit.TreeCells)
	}
	scored := scoredTriples(p, choose.NewTargets(p))
	return fmt.Sprintf("%s; at most %d triples are scored and %d measured, none of more than %d cells", model, scored, min(scored, measuredTriples), choose.LargestTable)
}
