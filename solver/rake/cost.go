package rake

import (
	"slices"

	"github.com/dapple-dp/dapple/solver"
)

// Cost returns the memory of a solve in bytes, and its CPU time in seconds on one core of 2024 without
// counting and noise, from public figures alone.
//
// Measured at ε = 1: 336,000 cells .45 s, 1,814,400 cells 3.2 s; sampled populations of 14 columns 1.8 s, of
// 56 columns 26 s, of which 5 s are renewals, which this leaves out. ε = 10 takes up to three times as
// long on a whole universe.
func Cost(p solver.Problem) (bytes, seconds float64) {
	t := newTargets(p)
	pairs, triples := cellsOf(t.sizes, cliques(t.pairs)), cellsOf(t.sizes, cliques(t.triples))
	slices.Sort(triples)
	measured := triples[max(0, len(triples)-measuredTriples):]
	// Values, target, ridge, potential and factor of every measured cell, and the base of every scored one.
	bytes = 48 * float64(sumCells(pairs)+sumCells(triples[max(0, len(triples)-scoredTriples):]))
	if fitsWhole(p) {
		cells := 1.0
		for _, k := range t.sizes {
			cells *= float64(k)
		}
		return bytes + bytesPerCell*cells, 2e-6 * cells
	}
	const (
		visit  = 3e-9 // seconds for a record and table, in a sweep or to score it
		treeOf = .3   // seconds for the junction tree
	)
	visits := float64(sweeps*(2*len(pairs)+len(measured)) + len(pairs) + min(len(triples), scoredTriples))
	bytes += samplePopulation*float64(2*len(t.sizes)+24) + 40*treeCells
	return bytes, treeOf + visit*samplePopulation*visits
}
