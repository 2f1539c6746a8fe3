package counts

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// coverFrom is the number of records from which on they are counted into the sets of a cover; for fewer, summing the
// cover's tables takes longer than it saves.
const coverFrom = 1 << 15

// counter counts packed records into the tables of a shape, a block at a time.
type counter struct {
	shape  *Shape
	layout *contribution.Layout
	block  [][]domain.Code // of blockRows rows

	kernel *kernel // of the cliques
	seen   int

	cover   *cover     // nil without one, or with too few records for it
	sets    *kernel    // of the cover
	wide    [][]uint32 // tables of the cover
	pending uint64     // weight of the records in them and not in the tables
}

func newCounter(s *Shape, l *contribution.Layout) *counter {
	c := &counter{shape: s, layout: l, kernel: newKernel(s.Sizes, s.Cliques), block: make([][]domain.Code, l.Attributes())}
	for a := range c.block {
		c.block[a] = make([]domain.Code, blockRows)
	}
	return c
}

// add counts rows. Some enter the tables only at settle.
func (c *counter) add(tables [][]int64, rows []byte) {
	columns := make([][]domain.Code, len(c.block))
	for width := c.layout.Width(); len(rows) > 0; {
		n := min(len(rows)/width, blockRows)
		for a := range columns {
			columns[a] = c.block[a][:n]
		}
		c.layout.Unpack(columns, rows[:n*width])
		if c.widen(); c.cover == nil {
			tally(c.kernel, tables, columns)
		} else {
			weight := weigh(c.shape, columns)
			if c.pending > math.MaxUint32-weight {
				c.settle(tables)
			}
			tally(c.sets, c.wide, columns)
			c.pending += weight
		}
		c.seen += n
		rows = rows[n*width:]
	}
}

// weigh returns the weight of all records of a block, in steps.
func weigh(s *Shape, columns [][]domain.Code) (sum uint64) {
	if s.WeightBits == 0 {
		return uint64(len(columns[0]))
	}
	for _, w := range columns[len(s.Sizes)] {
		sum += uint64(w)
	}
	return sum
}

// widen switches to the tables of the cover once that is faster.
func (c *counter) widen() {
	if c.cover != nil || c.seen < coverFrom || c.seen >= coverFrom+blockRows {
		return
	}
	if c.cover = coverOf(c.shape); c.cover == nil {
		return
	}
	c.sets, c.wide = newKernel(c.shape.Sizes, c.cover.sets), make([][]uint32, len(c.cover.sets))
	for i, set := range c.cover.sets {
		c.wide[i] = make([]uint32, cells(c.shape.Sizes, set))
	}
}

// settle adds the tables of the cover to the tables of the cliques, and clears them.
func (c *counter) settle(tables [][]int64) {
	if c.pending == 0 {
		return
	}
	for i, set := range c.cover.sets {
		for _, k := range c.cover.within[i] {
			to := tables[k]
			for cell, n := range sumOut(c.shape.Sizes, set, c.wide[i], c.shape.Cliques[k]) {
				to[cell] += int64(n)
			}
		}
		clear(c.wide[i])
	}
	c.pending = 0
}
