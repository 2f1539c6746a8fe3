package rake

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// Cost returns the memory of a solve in bytes, and its CPU time in seconds on one core of 2024 without
// counting and noise, from public figures alone: the work of the sweeps on a typical table, of which fits rarely leave
// any out, and renewals by the number of columns. It is less on tables with columns of one value, and up to twice as much
// where columns nearly follow from each other, as renewals may take longer than sweeps.
func Cost(p solver.Problem) (bytes, seconds float64) {
	t := newTargets(p)
	return memory(p, t), duration(p, t)
}

// memory returns the bytes of a solve: values, target, ridge, potential and factor of every measured cell,
// the base of every scored one, and the population.
func memory(p solver.Problem, t targets) float64 {
	pairs, triples := cellsOf(t.sizes, cliques(t.pairs)), cellsOf(t.sizes, cliques(t.triples))
	slices.Sort(triples)
	tables := 48 * float64(sumCells(pairs)+sumCells(triples[max(0, len(triples)-scoredTriples):]))
	if fitsWhole(p) {
		return tables + bytesPerCell*cellsOfAll(t.sizes)
	}
	return tables + float64(recordsFor(p.Units, len(t.sizes))*recordBytes(len(t.sizes))) + 40*treeCells
}

// What the parts of a solve take, in seconds: measured with whole runs and profiles at ε = .1 to 10.
const (
	visit      = 2.4e-9 // for a record and pass, to find its cell, add its weight and multiply it
	visitWhole = 2e-9   // for a cell of a universe and pass
	innerCell  = 1.6e-9 // for a cell of a cluster that is read and written
	factor     = 1.3e-9 // for a factor that a renewal multiplies: 1.3e-9 to 2e-9 on a busy machine
	descended  = 20e-9  // for a cell of a universe and step of the descent
	treeOf     = .15    // for the junction tree: less if pairs are small
	oneCell    = 2e-9   // for a record, column and pass that meets one-ways
	fitPasses  = 20     // of those, if columns follow from each other

	manyColumns = 60  // from which renewals take …
	renewing    = 1.5 // … this part of the time of the sweeps
)

// duration returns the CPU seconds of a solve.
func duration(p solver.Problem, t targets) float64 {
	mu := solver.GaussianMu(p.Epsilon, p.Delta)
	f, err := Predict(p, dp.Budget{Neighbouring: p.Neighbouring, Accounting: dp.GaussianOnly, Capacity: mu * mu / 2}, nil)
	if err != nil {
		return math.NaN()
	}
	r, sizes := f.run, f.run.merged.sizes
	linked := func(list []target) []domain.Clique { // those that merging leaves something of
		return slices.DeleteFunc(cliques(list), func(c domain.Clique) bool { return slices.Min(population.Shape(sizes, c)) == 1 })
	}
	oneWays, pairs, triples := t.attributes(), linked(t.pairs), linked(t.triples)
	scored, _ := population.Work(sizes, triples[:min(len(triples), scoredTriples)])
	pairs, triples = part(pairs, r.pairs), part(triples, r.triples)
	slices.SortStableFunc(triples, func(x, y domain.Clique) int { // those that take most
		return cmp.Compare(cellsOfAll(population.Shape(sizes, y)), cellsOfAll(population.Shape(sizes, x)))
	})
	first := slices.Concat(oneWays, pairs)
	final := slices.Concat(first, triples[:min(len(triples), measuredTriples)])
	work := func(pass float64) float64 {
		seconds := pass * float64(scored)
		if r.rakesAll() {
			return seconds + sweepsOf(sizes, first, firstSweeps, pass) + sweepsOf(sizes, final, sweeps, pass)
		}
		return seconds + sweepsOf(sizes, first, firstSweeps, pass)
	}
	switch cells := cellsOfAll(sizes); {
	case r.settings.whole:
		return work(visitWhole*cells) + descended*cells*descentSteps(p, t)
	case cells <= float64(r.records()):
		return work(visitWhole * cells)
	}
	records := float64(r.renewable(factors(sizes, first)))
	wide := min(1, float64(len(oneWays))/manyColumns)
	return (1+renewing*wide*wide)*work(visit*records) + treeOf + records*oneCell*fitPasses*float64(len(oneWays))
}

// sweepsOf returns the seconds of so many sweeps over the tables of cliques, given the seconds
// of a pass over the population.
func sweepsOf(sizes []int, cliques []domain.Clique, sweeps int, pass float64) float64 {
	passes, inside := population.Work(sizes, cliques)
	return float64(sweeps) * (innerCell*inside + pass*float64(passes))
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
func part(list []domain.Clique, candidates []*candidate) []domain.Clique {
	measured := 0
	for _, c := range candidates {
		if c.released() {
			measured++
		}
	}
	return regular(list, len(list)*measured/max(1, len(candidates)))
}

// descentSteps returns the steps of a descent: more the less noise there is to stop at.
func descentSteps(p solver.Problem, t targets) float64 {
	return min(35/math.Sqrt(relativeNoise(p, t, p.Units))+10, 600)
}

// cellsOfAll returns the cells of the table of all attributes of the given sizes.
func cellsOfAll(sizes []int) float64 {
	cells := 1.0
	for _, k := range sizes {
		cells *= float64(k)
	}
	return cells
}

// Limits says which public caps a run has, for people.
func Limits(p solver.Problem) string {
	model := "the model is every cell of the domain"
	if !fitsWhole(p) {
		model = fmt.Sprintf("the model is %d weighted records (more for more units, at most %d; fewer if many columns make renewals costly), first drawn from a junction tree of at most %.0f cells; renewals, if columns nearly follow from each other, take at most about one and a half times as long as all else",
			recordsFor(p.Units, len(p.Workload.Sizes)), recordsFor(math.Inf(1), len(p.Workload.Sizes)), treeCells)
	}
	return fmt.Sprintf("%s; at most %d triples are scored and %d measured, none of more than %d cells", model, scoredTriples, measuredTriples, LargestTable)
}

// leastMemory is what a solve may take whatever the limit: a smaller one only keeps universes from being held.
const leastMemory = 1 << 30

// ErrMemory says that the tables of a workload do not fit the problem's memory limit.
type ErrMemory struct{ Need, Limit float64 } // bytes

func (e *ErrMemory) Error() string {
	return fmt.Sprintf("rake: the tables worth scoring take %.3g GB and the memory limit is %.3g GB; ask for fewer or smaller marginals, or raise the limit", e.Need/1e9, e.Limit/1e9)
}
