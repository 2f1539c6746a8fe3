package population

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Work on the records of a sample is cut into blocks that depend only on public sizes, so that sums which are added
// block by block are the same on any number of cores.
const (
	mostBlocks   = 8
	blockRecords = 1 << 14 // no block is smaller
)

// blocksFor returns the number of blocks of n records whose sums take the given number of cells each, such that
// clearing and adding sums takes less time than reading records.
func blocksFor(n, cells int) int {
	return max(1, min(mostBlocks, n/blockRecords, n/(1+cells)))
}

// inBlocks calls work for every block of n records on all cores. It returns when all are done.
func inBlocks(n, blocks int, work func(block, from, to int)) {
	bounds := func(b int) int { return int(int64(n) * int64(b) / int64(blocks)) }
	workers := min(runtime.GOMAXPROCS(0), blocks)
	if workers == 1 {
		for b := range blocks {
			work(b, bounds(b), bounds(b+1))
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for b := int(next.Add(1)) - 1; b < blocks; b = int(next.Add(1)) - 1 {
				work(b, bounds(b), bounds(b+1))
			}
		})
	}
	wait.Wait()
}

// sums adds weights by cell, block by block.
type sums struct{ parts [mostBlocks][]float64 }

// add sets mass to the sum of the weights in each cell.
func (s *sums) add(mass []float64, index []int32, weights []float64) {
	blocks := blocksFor(len(index), len(mass))
	if blocks == 1 {
		clear(mass)
		addTo(mass, index, weights)
		return
	}
	inBlocks(len(index), blocks, func(b, from, to int) {
		s.parts[b] = append(s.parts[b][:0], mass...) // for its length
		clear(s.parts[b])
		addTo(s.parts[b], index[from:to], weights[from:to])
	})
	copy(mass, s.parts[0])
	for _, part := range s.parts[1:blocks] {
		for c, x := range part {
			mass[c] += x
		}
	}
}

func addTo(mass []float64, index []int32, weights []float64) {
	weights = weights[:len(index)]
	for i, c := range index {
		mass[c] += weights[i]
	}
}

// multiplyWeights multiplies every weight by its cell's factor and returns (Σw)²/(S·Σw²).
func multiplyWeights(weights []float64, index []int32, factor []float64) float64 {
	blocks := blocksFor(len(index), 0)
	var sum, squares [mostBlocks]float64
	inBlocks(len(index), blocks, func(b, from, to int) {
		s, q := 0.0, 0.0
		w := weights[from:to]
		for i, c := range index[from:to] {
			x := w[i] * factor[c]
			w[i] = x
			s += x
			q += x * x
		}
		sum[b], squares[b] = s, q
	})
	s, q := 0.0, 0.0
	for b := range blocks {
		s, q = s+sum[b], q+squares[b]
	}
	return s * s / q / float64(len(weights))
}
