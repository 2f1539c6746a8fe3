package population

import "github.com/dapple-dp/dapple/dp/domain"

// decoder turns cells of a universe into codes: neighbouring attributes share one division and a table.
type decoder struct{ groups []codeGroup } // the last attributes first

type codeGroup struct {
	size        uint32        // cells of the group
	from, width int           // its attributes are from … from+width−1
	codes       []domain.Code // the codes of cell c at c·width
}

// groupCells bounds the table of a group of two or more attributes.
const groupCells = 4096

func newDecoder(sizes []int) *decoder {
	d := &decoder{}
	for to := len(sizes); to > 0; {
		from, size := to-1, sizes[to-1]
		for from > 0 && size*sizes[from-1] <= groupCells {
			from--
			size *= sizes[from]
		}
		g := codeGroup{size: uint32(size), from: from, width: to - from}
		part := Model{Sizes: sizes[from:to]}
		g.codes = make([]domain.Code, size*g.width)
		for c := 0; c < size; c++ {
			part.Record(c, g.codes[c*g.width:(c+1)*g.width])
		}
		d.groups = append(d.groups, g)
		to = from
	}
	return d
}

func (d *decoder) decode(cell uint32, dst []domain.Code) {
	for i := range d.groups {
		g := &d.groups[i]
		rest := cell / g.size
		c := int(cell-rest*g.size) * g.width
		copy(dst[g.from:g.from+g.width], g.codes[c:c+g.width])
		cell = rest
	}
}
