package bounding

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
		panic("bounding: not a whole number of records")
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
		panic("bounding: number of columns differs from the layout's")
	}
	for a, col := range columns {
		if len(col)*l.width != len(rows) {
			panic("bounding: length of a column differs from the number of rows")
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

// transposeRows is the number of rows that are transposed at a time: a block of them stays in the
// first-level cache while every attribute passes over it.
const transposeRows = 256

// Transpose writes the packed rows to dst, of the same length, attribute by attribute: all of the first,
// then all of the second. It returns dst.
func (l *Layout) Transpose(dst, rows []byte) []byte {
	if len(dst) != len(rows) || l.width > 0 && len(rows)%l.width != 0 {
		panic("bounding: not a whole number of records, or no room for them")
	}
	if len(rows) == 0 {
		return dst
	}
	n := len(rows) / l.width
	for from := 0; from < n; from += transposeRows {
		count := min(transposeRows, n-from)
		block := rows[from*l.width : (from+count)*l.width]
		for a, o := range l.offset {
			if l.wide[a] {
				out := dst[n*o+2*from:][:2*count]
				for i := range count {
					p := i*l.width + o
					out[2*i], out[2*i+1] = block[p], block[p+1]
				}
				continue
			}
			out := dst[n*o+from:][:count]
			for i, p := 0, o; i < count; i, p = i+1, p+l.width {
				out[i] = block[p]
			}
		}
	}
	return dst
}

// Column writes attribute a of the records from, from+1, … to dst, as many as fit it. columns is what
// Transpose made of n records.
func (l *Layout) Column(dst []domain.Code, columns []byte, a, n, from int) {
	start := n * l.offset[a]
	if !l.wide[a] {
		for i, b := range columns[start+from:][:len(dst)] {
			dst[i] = domain.Code(b)
		}
		return
	}
	src := columns[start+2*from:][:2*len(dst)]
	for i := range dst {
		dst[i] = domain.Code(src[2*i]) | domain.Code(src[2*i+1])<<8
	}
}
