package population

import (
	"runtime"
	"slices"
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
	return max(1, min(mostBlocks, n/blockRecords, n/(1+4*cells)))
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

// factors are to be multiplied into the weights of the records of each cell.
type factors struct {
	index  []int32
	factor []float64
}

// add multiplies the weights by pending factors, if there are any, and sets mass, which may be those factors' memory, to the sum
// of the weights in each cell: one pass for both. The result is (Σw)²/(S·Σw²), or 1 if nothing was pending.
func (s *sums) add(mass []float64, index []int32, weights []float64, pending factors) float64 {
	blocks := blocksFor(len(index), len(mass))
	var sum, squares [mostBlocks]float64
	inBlocks(len(index), blocks, func(b, from, to int) {
		s.parts[b] = slices.Grow(s.parts[b][:0], len(mass))[:len(mass)]
		clear(s.parts[b])
		if pending.index == nil {
			addTo(s.parts[b], index[from:to], weights[from:to])
			return
		}
		sum[b], squares[b] = multiplyAndAdd(s.parts[b], index[from:to], weights[from:to], pending.index[from:to], pending.factor)
	})
	copy(mass, s.parts[0])
	for _, part := range s.parts[1:blocks] {
		for c, x := range part {
			mass[c] += x
		}
	}
	if pending.index == nil {
		return 1
	}
	all, square := 0.0, 0.0
	for b := range blocks {
		all, square = all+sum[b], square+squares[b]
	}
	return all * all / square / float64(len(weights))
}

// Both halves of a block are passed at once: a sum need not wait for the one before, nor records in sorted order for
// the cell that they share with their neighbours.

func addTo(mass []float64, index []int32, weights []float64) {
	half := len(index) / 2
	first, second, w, v := index[:half], index[half:], weights[:half], weights[half:len(index)]
	second, v = second[:len(second):len(second)], v[:len(second)]
	for i, c := range first {
		mass[c] += w[i]
		mass[second[i]] += v[i]
	}
	for i := half; i < len(second); i++ { // an odd one
		mass[second[i]] += v[i]
	}
}

// multiplyAndAdd multiplies weights and adds them to mass. It returns their sum and the sum of their squares.
func multiplyAndAdd(mass []float64, index []int32, weights []float64, at []int32, factor []float64) (sum, squares float64) {
	n, half := len(index), len(index)/2
	c, f, w := index[:half], at[:half], weights[:half]
	d, g, v := index[half:], at[half:n], weights[half:n]
	d, g, v = d[:n-half], g[:n-half], v[:n-half]
	more, moreSquares := 0.0, 0.0
	for i, cell := range c {
		x, y := w[i]*factor[f[i]], v[i]*factor[g[i]]
		w[i], v[i] = x, y
		sum, more = sum+x, more+y
		squares, moreSquares = squares+x*x, moreSquares+y*y
		mass[cell] += x
		mass[d[i]] += y
	}
	for i := half; i < len(d); i++ { // an odd one
		x := v[i] * factor[g[i]]
		v[i] = x
		sum, squares = sum+x, squares+x*x
		mass[d[i]] += x
	}
	return sum + more, squares + moreSquares
}
