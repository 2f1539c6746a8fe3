package population

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Projection maps the cells of a clique's table to the cells of the table of a subset. The last run of
// attributes that are all inside or all outside the subset is handled as one block, so that the inner
// loops are over contiguous memory.
type Projection struct {
	offsets []int32 // cell of the subset for each block's first cell
	block   int     // cells in a block
	inside  bool    // a block runs along the subset's table too; else all of it maps to one cell
}

// NewProjection returns the projection of the table of c on the table of its subset sub. It panics if sub
// is not in c.
func NewProjection(sizes []int, c, sub domain.Clique) *Projection {
	if !c.Contains(sub) {
		panic("population: projection on attributes outside the clique")
	}
	strides := sub.Strides(sizes)
	step := make([]int, len(c)) // of each attribute of c in sub's table; 0 outside sub
	for i, a := range sub {
		step[slices.Index(c, a)] = strides[i]
	}
	p := &Projection{block: 1}
	outer := len(c)
	for outer > 0 && (step[outer-1] > 0) == (step[len(c)-1] > 0) {
		outer--
		p.block *= sizes[c[outer]]
	}
	p.inside = len(c) > 0 && step[len(c)-1] > 0
	p.offsets = []int32{0}
	for i := 0; i < outer; i++ {
		p.offsets = widen(p.offsets, sizes[c[i]], step[i])
	}
	return p
}

// widen returns the offsets with one more axis, fastest.
func widen(offsets []int32, size, step int) []int32 {
	out := make([]int32, 0, len(offsets)*size)
	for _, o := range offsets {
		for v := 0; v < size; v++ {
			out = append(out, o+int32(v*step))
		}
	}
	return out
}

// Sum writes the marginal of table on the subset to dst and returns dst. About 1 ns per cell.
func (p *Projection) Sum(dst, table []float64) []float64 {
	clear(dst)
	n := p.block
	for o, at := range p.offsets {
		src := table[o*n : (o+1)*n]
		if p.inside {
			for i, x := range src {
				dst[int(at)+i] += x
			}
			continue
		}
		sum := 0.0
		for _, x := range src {
			sum += x
		}
		dst[at] += sum
	}
	return dst
}

// Multiply multiplies every cell of table by the factor of its cell of the subset.
func (p *Projection) Multiply(table, factor []float64) {
	n := p.block
	for o, at := range p.offsets {
		dst := table[o*n : (o+1)*n]
		if p.inside {
			for i, f := range factor[at : int(at)+n] {
				dst[i] *= f
			}
			continue
		}
		f := factor[at]
		for i := range dst {
			dst[i] *= f
		}
	}
}

// Cell returns the subset's cell of a cell of the whole table.
func (p *Projection) Cell(c int) int {
	at := int(p.offsets[c/p.block])
	if p.inside {
		at += c % p.block
	}
	return at
}
