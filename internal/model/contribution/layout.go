package contribution

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Layout says where each attribute stands in a packed row.
type Layout struct {
	offset []int // first byte of each attribute
	bytes  []int // of each attribute: 1 to 3
	width  int
}

// NewLayout returns the layout of rows over attributes of the given sizes.
func NewLayout(sizes []int) *Layout {
	l := &Layout{offset: make([]int, len(sizes)), bytes: make([]int, len(sizes))}
	for a, n := range sizes {
		l.offset[a], l.bytes[a] = l.width, 1
		for n > 1<<(8*l.bytes[a]) {
			l.bytes[a]++
		}
		l.width += l.bytes[a]
	}
	return l
}

// NewWeightedLayout returns the layout of rows that end with a weight of 0 to 2^unit, as one more attribute. If unit is 0,
// rows have no weight, and each weighs 1.
func NewWeightedLayout(sizes []int, unit int) *Layout {
	if unit > 0 {
		sizes = append(slices.Clone(sizes), 1<<unit+1)
	}
	return NewLayout(sizes)
}

// NewRecordLayout returns the layout of the records of d as they are read. If people without rows exist, a record begins
// with one more attribute: 1 if it is from the table of people, whose columns of events say nothing, else 0.
func NewRecordLayout(d *domain.Domain) *Layout {
	if d.Events == nil {
		return NewLayout(d.RecordSizes())
	}
	sizes := d.RecordSizes()[:d.Events.Columns]
	if d.Ordered() { // the gap is not read, but the column whose place it takes
		sizes[d.Events.Gap()] = d.Events.Sequence.Declared.RecordSize()
	}
	if d.Events.NoRows {
		sizes = append([]int{2}, sizes...)
	}
	return NewLayout(sizes)
}

// Width returns the number of bytes of a packed row.
func (l *Layout) Width() int { return l.width }

// Pack appends the packed rows of codes to dst: attribute a of record i is codes[i·d+a], d being the
// number of attributes.
func (l *Layout) Pack(dst []byte, codes []domain.Code) []byte {
	d := len(l.offset)
	if d == 0 || len(codes)%d != 0 {
		panic("contribution: not a whole number of records")
	}
	if l.width == d {
		for _, c := range codes {
			dst = append(dst, byte(c))
		}
		return dst
	}
	for a := 0; len(codes) > 0; codes = codes[1:] {
		dst = append(dst, byte(codes[0]))
		for shift := 8; shift < 8*l.bytes[a]; shift += 8 {
			dst = append(dst, byte(codes[0]>>shift))
		}
		if a++; a == d {
			a = 0
		}
	}
	return dst
}

// Unpack writes the packed rows into columns with one entry per row each.
func (l *Layout) Unpack(columns [][]domain.Code, rows []byte) {
	if len(columns) != len(l.offset) {
		panic("contribution: number of columns differs from the layout's")
	}
	for a, col := range columns {
		if len(col)*l.width != len(rows) {
			panic("contribution: length of a column differs from the number of rows")
		}
		p := l.offset[a]
		switch l.bytes[a] {
		case 3:
			for i := range col {
				col[i] = domain.Code(rows[p]) | domain.Code(rows[p+1])<<8 | domain.Code(rows[p+2])<<16
				p += l.width
			}
			continue
		case 2:
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

// Attributes returns the number of attributes of a row, its weight among them.
func (l *Layout) Attributes() int { return len(l.offset) }

// Sum returns the sum of the codes of attribute a of packed rows.
func (l *Layout) Sum(a int, rows []byte) (sum int64) {
	for p := l.offset[a]; p < len(rows); p += l.width {
		for k := range l.bytes[a] {
			sum += int64(rows[p+k]) << (8 * k)
		}
	}
	return sum
}

// transposeRows is the number of rows that are transposed at a time: a block of them stays in the
// first-level cache while every attribute passes over it.
const transposeRows = 256

// Transpose writes the packed rows to dst, of the same length, attribute by attribute: all of the first,
// then all of the second. It returns dst.
func (l *Layout) Transpose(dst, rows []byte) []byte {
	if len(dst) != len(rows) || l.width > 0 && len(rows)%l.width != 0 {
		panic("contribution: not a whole number of records, or no room for them")
	}
	if len(rows) == 0 {
		return dst
	}
	n := len(rows) / l.width
	for from := 0; from < n; from += transposeRows {
		count := min(transposeRows, n-from)
		block := rows[from*l.width : (from+count)*l.width]
		for a, o := range l.offset {
			if k := l.bytes[a]; k > 1 {
				out := dst[n*o+k*from:][:k*count]
				for i := range count {
					copy(out[k*i:k*i+k], block[i*l.width+o:])
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

// Bytes returns attribute a of all n records of what Transpose made, or nil if its codes take more than a byte.
func (l *Layout) Bytes(columns []byte, a, n int) []byte {
	if l.bytes[a] > 1 {
		return nil
	}
	return columns[n*l.offset[a]:][:n]
}

// Column writes attribute a of the records from, from+1, … to dst, as many as fit it. columns is what
// Transpose made of n records.
func (l *Layout) Column(dst []domain.Code, columns []byte, a, n, from int) {
	start := n * l.offset[a]
	switch l.bytes[a] {
	case 1:
		for i, b := range columns[start+from:][:len(dst)] {
			dst[i] = domain.Code(b)
		}
		return
	case 3:
		src := columns[start+3*from:][:3*len(dst)]
		for i := range dst {
			dst[i] = domain.Code(src[3*i]) | domain.Code(src[3*i+1])<<8 | domain.Code(src[3*i+2])<<16
		}
		return
	}
	src := columns[start+2*from:][:2*len(dst)]
	for i := range dst {
		dst[i] = domain.Code(src[2*i]) | domain.Code(src[2*i+1])<<8
	}
}
