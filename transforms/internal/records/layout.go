package records

import "github.com/dapple-dp/dapple/dp/domain"

// Layout says where each attribute stands in a packed row.
type Layout struct {
	offset []int // first byte of each attribute
	wide   []bool
	width  int
}

// NewLayout returns the layout of rows over attributes of the given sizes.
func NewLayout(sizes []int) *Layout {
	l := &Layout{offset: make([]int, len(sizes)), wide: make([]bool, len(sizes))}
	for a, n := range sizes {
		l.offset[a], l.wide[a] = l.width, n > 256
		l.width++
		if l.wide[a] {
			l.width++
		}
	}
	return l
}

// Width returns the number of bytes of a packed row.
func (l *Layout) Width() int { return l.width }

// Pack appends the packed rows of columns to dst: columns[a][i] is attribute a of record i, and all
// columns have the same length.
func (l *Layout) Pack(dst []byte, columns [][]domain.Code) []byte {
	if len(columns) != len(l.offset) {
		panic("records: number of columns differs from the layout's")
	}
	if len(columns) == 0 {
		return dst
	}
	start, n := len(dst), len(columns[0])
	dst = append(dst, make([]byte, n*l.width)...)
	for a, col := range columns {
		p := start + l.offset[a]
		if l.wide[a] {
			for _, c := range col {
				dst[p], dst[p+1] = byte(c), byte(c>>8)
				p += l.width
			}
			continue
		}
		for _, c := range col {
			dst[p] = byte(c)
			p += l.width
		}
	}
	return dst
}

// Unpack writes the packed rows into columns, each of which has one entry per row.
func (l *Layout) Unpack(columns [][]domain.Code, rows []byte) {
	if len(columns) != len(l.offset) {
		panic("records: number of columns differs from the layout's")
	}
	for a, col := range columns {
		if len(col)*l.width != len(rows) {
			panic("records: length of a column differs from the number of rows")
		}
		p := l.offset[a]
		if l.wide[a] {
			for i := range col {
				col[i] = domain.Code(rows[p]) | domain.Code(rows[p+1])<<8
				p += l.width
			}
			continue
		}
		for i := range col {
			col[i] = domain.Code(rows[p])
			p += l.width
		}
	}
}
