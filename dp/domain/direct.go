package domain

// direct holds the cells of a run of whole numbers, for columns of numbers in a narrow range: finding the bin of a number
// takes several times as long.
type direct struct {
	first int64
	cells []uint32 // of first, first+1, …; noCell: not in this table
}

const (
	noCell    = ^uint32(0)
	maxDirect = 1 << 12
)

// newDirect returns the cells of a column's numbers, or no cells if their range is wide.
func newDirect(c *column) (d direct) {
	first, last, ok := c.narrow()
	if !ok {
		return d
	}
	d.first, d.cells = first, make([]uint32, last-first+1)
	for i := range d.cells {
		d.cells[i] = noCell
		if code, ok := c.ofNative(first + int64(i)); ok {
			d.cells[i] = uint32(code)
		}
	}
	return d
}

// narrow returns a range of numbers between whose ends cells differ, if it is narrow.
func (c *column) narrow() (first, last int64, ok bool) {
	switch {
	case len(c.inner) > 0:
		first, last = c.inner[0], c.inner[len(c.inner)-1]
	case len(c.ints) > 0:
		for v := range c.ints {
			if !ok {
				first, last, ok = v, v, true
			}
			first, last = min(first, v), max(last, v)
		}
	default:
		return 0, 0, false
	}
	const margin = maxDirect / 4 // of numbers below and above, which are in the first and the last bin
	if uint64(last)-uint64(first) >= maxDirect-2*margin || first < -1<<62 || last > 1<<62 {
		return 0, 0, false
	}
	return first - margin, last + margin, true
}

// encodeInts writes the code of cell i to dst[i·step] and returns the first row with an unusable cell, or rows.
func (c *column) encodeInts(col *Column, rows int, dst []Code, step int) int {
	unusable := rows
	for i, v := range col.Ints[:rows] {
		code := noCell
		if k := uint64(v) - uint64(c.direct.first); k < uint64(len(c.direct.cells)) && !col.Null(i) {
			code = c.direct.cells[k]
		}
		if code == noCell {
			cell, ok := c.cell(col, i)
			if code = uint32(cell); !ok && unusable == rows {
				unusable = i
			}
		}
		dst[i*step] = Code(code)
	}
	return unusable
}
