package population

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/marginal"
)

// Total returns the sum of the weights, compensated.
func (m *Model) Total() float64 {
	var s summation.Compensated
	for _, w := range m.Weights {
		s.Add(w)
	}
	return s.Sum()
}

// Record writes the codes of record i to dst, which needs one entry per attribute, and returns dst.
func (m *Model) Record(i int, dst []domain.Code) []domain.Code {
	if len(dst) != len(m.Sizes) {
		panic("population: a record needs one code per attribute")
	}
	if m.Columns != nil {
		for a, col := range m.Columns {
			dst[a] = col[i]
		}
		return dst
	}
	for a := len(m.Sizes) - 1; a >= 0; a-- {
		dst[a] = domain.Code(i % m.Sizes[a])
		i /= m.Sizes[a]
	}
	return dst
}

// Marginal returns the sum of the weights in each cell of the marginal of c, row-major, in the unit of
// the weights. The result is written to dst, which has one entry per cell, or is nil and then made.
//
// Cost: one pass over the weights; about 1 ns per record and attribute of c, or per cell of a universe.
func (m *Model) Marginal(c domain.Clique, dst []float64) []float64 {
	cells, err := c.Cells(m.Sizes)
	if err != nil {
		panic("population: marginal of a clique whose cells cannot be counted")
	}
	if dst == nil {
		dst = make([]float64, cells)
	}
	if int64(len(dst)) != cells {
		panic("population: a marginal needs one entry per cell")
	}
	if m.Columns == nil {
		sumAxes(m.Sizes, c, m.Weights, dst)
	} else {
		m.countColumns(c, dst)
	}
	return dst
}

// Marginals returns Marginal of every clique. They are counted in groups, with one pass over the records or the universe
// for each, records on all cores: far faster for hundreds of cliques that overlap.
func (m *Model) Marginals(cliques []domain.Clique) [][]float64 {
	out := make([][]float64, len(cliques))
	var s sums
	var index []int32
	for _, g := range cover(m.Sizes, cliques, clusterCells) {
		cells, _ := g.clique.Cells(m.Sizes) // cover has counted them
		table := make([]float64, cells)
		if m.Columns == nil {
			sumAxes(m.Sizes, g.clique, m.Weights, table)
		} else {
			index = m.locate(g.clique, index)
			s.add(table, index, m.Weights, factors{})
		}
		for _, i := range g.members {
			n, _ := cliques[i].Cells(m.Sizes)
			out[i] = NewProjection(m.Sizes, g.clique, cliques[i]).Sum(make([]float64, n), table)
		}
	}
	return out
}

// ScaleTo multiplies the weights by a factor for every cell of c, so that its marginal is the target. Cells that no record
// has stay without weight. If the target has nothing where records are, all weights stay: a model is never empty.
func (m *Model) ScaleTo(c domain.Clique, target []float64) {
	factor, some := m.Marginal(c, nil), false
	lift := make([]float64, len(factor))
	for v, x := range factor {
		if lift[v] = 1; x > 0 && math.IsInf(target[v]/x, 0) { // a weight near the smallest number there is
			lift[v], some = 0x1p500, true
		}
	}
	if some {
		m.multiply(c, lift)
		factor, some = m.Marginal(c, nil), false
	}
	for v, x := range factor {
		if x > 0 {
			factor[v] = target[v] / x
			some = some || factor[v] > 0
		}
	}
	if !some {
		return
	}
	m.multiply(c, factor)
}

// multiply multiplies the weights of each cell of c by its factor.
func (m *Model) multiply(c domain.Clique, factor []float64) {
	if m.Columns == nil {
		NewProjection(m.Sizes, m.all(), c).Multiply(m.Weights, factor)
		return
	}
	for i, cell := range m.locate(c, nil) {
		m.Weights[i] *= factor[cell]
	}
}

// locate returns the cell of every record in the table of c. It reuses index if that has one entry per record.
func (m *Model) locate(c domain.Clique, index []int32) []int32 {
	if len(index) != m.Len() {
		index = make([]int32, m.Len())
	}
	inBlocks(len(index), blocksFor(len(index), 0), func(_, from, to int) {
		for ; from < to; from += marginal.Block {
			marginal.Cells(index[from:min(from+marginal.Block, to)], m.Sizes, c, m.Columns, from)
		}
	})
	return index
}

// countColumns adds the weight of each record to its cell of c.
func (m *Model) countColumns(c domain.Clique, dst []float64) {
	clear(dst)
	var index [marginal.Block]int32
	for from := 0; from < len(m.Weights); from += marginal.Block {
		to := min(from+marginal.Block, len(m.Weights))
		x := index[:to-from]
		marginal.Cells(x, m.Sizes, c, m.Columns, from)
		for i, w := range m.Weights[from:to] {
			dst[x[i]] += w
		}
	}
}

// run is a group of neighbouring axes of a universe that are kept or summed together.
type run struct {
	size int
	kept bool
}

// sumAxes writes the marginal of c of the row-major array p to dst: one contraction for each run of
// axes outside c, the last first, so that every later one works on a smaller array.
func sumAxes(sizes []int, c domain.Clique, p, dst []float64) {
	runs := axisRuns(sizes, c)
	inner := 1
	for g := len(runs) - 1; g >= 0; g-- {
		if runs[g].kept {
			inner *= runs[g].size
			continue
		}
		out := make([]float64, len(p)/runs[g].size)
		contract(p, runs[g].size, inner, out)
		p = out
	}
	copy(dst, p)
}

func axisRuns(sizes []int, c domain.Clique) []run {
	var runs []run
	for a, i := 0, 0; a < len(sizes); a++ {
		kept := i < len(c) && c[i] == a
		if kept {
			i++
		}
		if last := len(runs) - 1; last >= 0 && runs[last].kept == kept {
			runs[last].size *= sizes[a]
		} else {
			runs = append(runs, run{sizes[a], kept})
		}
	}
	return runs
}

// contract sums out the middle axis of p, of shape outer × size × inner.
func contract(p []float64, size, inner int, out []float64) {
	if inner == 1 {
		for o := range out {
			out[o] = summation.Pairwise(p[o*size : (o+1)*size])
		}
		return
	}
	for o := 0; o < len(out); o += inner {
		dst := out[o : o+inner]
		for j := 0; j < size; j++ {
			src := p[o*size+j*inner:][:inner]
			for i, x := range src {
				dst[i] += x
			}
		}
	}
}
