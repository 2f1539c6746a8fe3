package counts

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// columns holds records by attribute, so that a marginal reads only the bytes of its own attributes, in order. A
// packed row of 60 attributes is a cache line, and reading it for two attributes takes ten times as long as counting.
type columns struct {
	layout *contribution.Layout
	n      int
	bytes  []byte // attribute a of record i begins at n·offset(a) + i·width(a)
}

func newColumns(l *contribution.Layout, rows []byte) *columns {
	n := len(rows) / l.Width()
	return &columns{layout: l, n: n, bytes: l.Transpose(make([]byte, len(rows)), rows)}
}

// count returns the marginal of c, which has at least one attribute: 1 to 2 ns for each record if all its codes are
// bytes and it has no weight, otherwise 3 ns for two attributes and 4 ns for three.
func (s *columns) count(sizes []int, c domain.Clique) []int64 {
	m := make([]int64, cells(sizes, c))
	read, view := c, make([][]domain.Code, s.layout.Attributes())
	switch weights := len(sizes); {
	case len(view) > weights:
		read = append(slices.Clone(c), weights)
	case s.countBytes(m, sizes, c):
		return m
	}
	k, tables := newKernel(sizes, []domain.Clique{c}), [][]int64{m}
	block := make([]domain.Code, blockRows*len(read))
	for from := 0; from < s.n; from += blockRows {
		n := min(blockRows, s.n-from)
		for i, a := range read {
			view[a] = block[i*blockRows:][:n]
			s.layout.Column(view[a], s.bytes, a, s.n, from)
		}
		tally(k, tables, view)
	}
	return m
}

// countBytes counts directly from the packed columns, if c has one to three attributes of one byte each.
func (s *columns) countBytes(m []int64, sizes []int, c domain.Clique) bool {
	if len(c) > 3 {
		return false
	}
	var cols [3][]byte
	for i, a := range c {
		if cols[i] = s.layout.Bytes(s.bytes, a, s.n); cols[i] == nil {
			return false
		}
	}
	x, y, z := cols[0], cols[1], cols[2]
	switch len(c) {
	case 1:
		for _, v := range x {
			m[v]++
		}
	case 2:
		y, size := y[:len(x)], sizes[c[1]]
		for i, v := range x {
			m[int(v)*size+int(y[i])]++
		}
	default:
		y, z, s1, s2 := y[:len(x)], z[:len(x)], sizes[c[1]], sizes[c[2]]
		for i, v := range x {
			m[(int(v)*s1+int(y[i]))*s2+int(z[i])]++
		}
	}
	return true
}
