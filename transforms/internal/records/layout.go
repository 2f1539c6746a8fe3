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

// Pack appends the packed rows of codes to dst: attribute a of record i is codes[i·d+a], d being the
// number of attributes.
func (l *Layout) Pack(dst []byte, codes []domain.Code) []byte {
	d := len(l.offset)
	if d == 0 || len(codes)%d != 0 {
		panic("records: not a whole number of records")
	}
	if l.width == d {
		for _, c := range codes {
			dst = append(dst, byte(c))
		}
		return dst
	}
	for a := 0; len(codes) > 0; codes = codes[1:] {
		dst = append(dst, byte(codes[0]))
		if l.wide[a] {
			dst = append(dst, byte(codes[0]>>8))
		}
		if a++; a == d {
			a = 0
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
