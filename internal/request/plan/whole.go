package plan

import "github.com/dapple-dp/dapple/dp/domain"

// What the steps beside the solve take, in seconds: measured with profiles of whole runs in one process, from CSV to
// Parquet. They are about half of the run for 200 columns and 1,000,000 records.
const (
	startSeconds   = .15
	readCell       = 70e-9  // for a cell of the table, to be read and encoded
	countRecord    = 1.1e-9 // for a record and marginal
	writeCell      = 25e-9  // for a cell of the rows, to be sampled and written
	publishedShare = .12    // of the solve, for the marginals that are released with the model
	ofMarginal     = 110e-6 // for a marginal, to be listed, published, refined and written on the page
)

// What a run holds, in bytes: Go's heap takes about twice of what is in use before it is cleared.
const (
	startBytes   = 150e6 // of the program, its runner and the buffers of readers and writers
	heldRow      = 2     // for a cell of the rows
	heldMarginal = 1800  // for a marginal
	heapOver     = 2.2
)

// wholeRun returns the memory and the CPU seconds of a run in one process, sampling and writing included: of the solve and
// the counts, for so many units to write rows of, and a workload of maximal marginals.
func wholeRun(p *Plan, columns int, maximal []domain.Clique) (bytes, seconds float64) {
	cells := float64(columns)
	bytes = startBytes + heapOver*(p.SolveBytes+p.CountBytes+heldRow*p.Rows*cells+heldMarginal*float64(len(maximal)))
	seconds = startSeconds + (1+publishedShare)*p.SolveSeconds + p.RowsSeconds +
		p.Problem.Units*(readCell*cells+countRecord*float64(len(maximal))) + writeCell*p.Rows*cells + ofMarginal*float64(len(maximal))
	return bytes, seconds
}
