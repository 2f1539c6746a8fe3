// Package marginal finds the cells that records have in a marginal.
//
//	counts := make([]int64, cells)
//	marginal.Count(counts, sizes, domain.Clique{0, 2}, columns, rows)
//
// Cells are numbered row-major, the last attribute of a clique fastest. Records come by column: columns[a][r] is
// attribute a of record r, below sizes[a].
package marginal

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Block is how many records are best looked at at a time: the cells of so many fit the first-level cache.
const Block = 2048

// Cells writes the cell of records from..from+len(dst)−1 in the marginal of c, which has fewer than 2³¹ cells. One to
// three attributes, which is nearly all that is asked, take one pass over the records.
func Cells(dst []int32, sizes []int, c domain.Clique, columns [][]domain.Code, from int) {
	column := func(i int) []domain.Code { return columns[c[i]][from : from+len(dst)] }
	size := func(i int) int32 { return int32(sizes[c[i]]) }
	switch len(c) {
	case 0:
		clear(dst)
	case 1:
		for i, v := range column(0) {
			dst[i] = int32(v)
		}
	case 2:
		p, q, kq := column(0), column(1), size(1)
		for i := range dst {
			dst[i] = int32(p[i])*kq + int32(q[i])
		}
	default:
		p, q, r, kq, kr := column(0), column(1), column(2), size(1), size(2)
		for i := range dst {
			dst[i] = (int32(p[i])*kq+int32(q[i]))*kr + int32(r[i])
		}
		for j := 3; j < len(c); j++ {
			p, kp := column(j), size(j)
			for i := range dst {
				dst[i] = dst[i]*kp + int32(p[i])
			}
		}
	}
}

// Count adds the records 0..rows−1 to the cells of the marginal of c. Up to three attributes it does not write the
// cells down first, which is a quarter faster.
func Count[T int32 | int64](counts []T, sizes []int, c domain.Clique, columns [][]domain.Code, rows int) {
	switch len(c) {
	case 1:
		for _, x := range columns[c[0]][:rows] {
			counts[x]++
		}
	case 2:
		second, step := columns[c[1]][:rows], sizes[c[1]]
		for r, x := range columns[c[0]][:rows] {
			counts[int(x)*step+int(second[r])]++
		}
	case 3:
		second, third := columns[c[1]][:rows], columns[c[2]][:rows]
		step2, step3 := sizes[c[1]], sizes[c[2]]
		for r, x := range columns[c[0]][:rows] {
			counts[(int(x)*step2+int(second[r]))*step3+int(third[r])]++
		}
	default:
		var cells [Block]int32
		for from := 0; from < rows; from += Block {
			at := cells[:min(Block, rows-from)]
			Cells(at, sizes, c, columns, from)
			for _, x := range at {
				counts[x]++
			}
		}
	}
}

// Subsets returns the subsets of c of the given size, in lexicographic order.
func Subsets(c domain.Clique, size int) []domain.Clique {
	if size == 0 {
		return []domain.Clique{{}}
	}
	var out []domain.Clique
	for i := 0; i+size <= len(c); i++ {
		for _, rest := range Subsets(c[i+1:], size-1) {
			out = append(out, append(domain.Clique{c[i]}, rest...))
		}
	}
	return out
}

// CramersV returns Cramér's V of two columns of so many codes, whose counts, or shares, each visits by their codes: √(χ²/(n·(k−1))),
// k the smaller number of codes that any record has. NaN: one of the columns is constant.
func CramersV(first, second int, each func(visit func(a, b int, n float64))) float64 {
	p, q := make([]float64, first), make([]float64, second)
	each(func(a, b int, n float64) { p[a], q[b] = p[a]+n, q[b]+n })
	sum := 0.0
	each(func(a, b int, n float64) {
		if n > 0 {
			sum += n / p[a] * n / q[b] // χ²/n + 1 in all
		}
	})
	held := func(x []float64) (n int) {
		for _, v := range x {
			if v > 0 {
				n++
			}
		}
		return n
	}
	k := min(held(p), held(q))
	if k < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(sum-1, 0) / float64(k-1))
}
