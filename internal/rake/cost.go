package rake

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/population"
)

// Cost returns the memory of a solve in bytes, and its CPU time in seconds on one core of 2024 without
// counting and noise, from public figures alone.
//
// Measured at ε = 1: 336,000 cells .45 s, 1,814,400 cells 3.2 s, and up to three times as long at ε = 10; sampled
// populations of 14 columns 1.4 s, of 23 binary ones 2.4 s. Renewals, which this leaves out, take up to 20 s more on
// wide tables whose columns follow from each other.
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
		return tables + bytesPerCell*universe(t.sizes)
	}
	return tables + float64(recordsFor(p.Units, len(t.sizes))*recordBytes(len(t.sizes))) + 40*treeCells
}

// duration returns the CPU seconds of a solve.
func duration(p solver.Problem, t targets) float64 {
	if fitsWhole(p) {
		return 2e-6 * universe(t.sizes)
	}
	const (
		visit  = 2.4e-9 // seconds for a record and pass, to find its cell, add its weight and multiply it
		inside = 50e-6  // seconds for a table, in a sweep over the tables of its cluster
		treeOf = .3     // seconds for the junction tree
	)
	pairs := cliques(t.pairs)
	slices.SortStableFunc(t.triples, func(x, y target) int { // those that take most
		return cmp.Compare(sumCells(cellsOf(t.sizes, []domain.Clique{y.clique})), sumCells(cellsOf(t.sizes, []domain.Clique{x.clique})))
	})
	triples := cliques(t.triples)
	measured := slices.Concat(pairs, triples[:min(len(triples), measuredTriples)])
	early, scored := firstSweeps+pairSweeps, triples[:min(len(triples), scoredTriples)]
	merged := slices.Clone(t.sizes) // longer lists have rare values
	for a, k := range merged {
		merged[a] = min(k, longList)
	}
	passes := early*population.Passes(merged, pairs) + sweeps*population.Passes(merged, measured) + population.Passes(merged, scored)
	return treeOf + visit*float64(recordsFor(p.Units, len(t.sizes))*passes) + inside*float64(early*len(pairs)+sweeps*len(measured))
}

// Limits says which public caps a run has, for people.
func Limits(p solver.Problem) string {
	model := fmt.Sprintf("the model is %d weighted records (more for more units, at most %d; fewer if many columns make renewals costly), first drawn from a junction tree of at most %.0f cells",
		recordsFor(p.Units, len(p.Workload.Sizes)), recordsFor(math.Inf(1), len(p.Workload.Sizes)), treeCells)
	if fitsWhole(p) {
		model = "the model is every cell of the domain"
	}
	return fmt.Sprintf("%s; at most %d triples are scored and %d measured, none of more than %d cells", model, scoredTriples, measuredTriples, LargestTable)
}

func universe(sizes []int) float64 {
	cells := 1.0
	for _, k := range sizes {
		cells *= float64(k)
	}
	return cells
}

// leastMemory is what a solve may take whatever the limit: a smaller one only keeps universes from being held.
const leastMemory = 1 << 30

// ErrMemory says that the tables of a workload do not fit the problem's memory limit.
type ErrMemory struct{ Need, Limit float64 } // bytes

func (e *ErrMemory) Error() string {
	return fmt.Sprintf("rake: the tables worth scoring take %.3g GB and the memory limit is %.3g GB; ask for fewer or smaller marginals, or raise the limit", e.Need/1e9, e.Limit/1e9)
}
