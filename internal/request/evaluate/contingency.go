package evaluate

import (
	"maps"
	"math"
	"slices"
	"time"
)

// categories is a column of both tables in codes below n that mean the same in both. Of matched texts
// code 0 is NULL.
type categories struct {
	truth, other []uint32
	n            int
	texts        []string // of codes 1, 2, …, if they are texts
}

// matched gives equal texts of the two tables equal codes.
func matched(truth, other *values) categories {
	to := make([]uint32, len(other.texts)+1)
	texts := make(map[string]uint32, len(truth.texts))
	for i, s := range truth.texts {
		texts[s] = uint32(i + 1)
	}
	all := slices.Clone(truth.texts)
	for i, s := range other.texts {
		code, ok := texts[s]
		if !ok {
			all = append(all, s)
			code = uint32(len(all))
		}
		to[i+1] = code
	}
	moved := make([]uint32, len(other.codes))
	for i, c := range other.codes {
		moved[i] = to[c]
	}
	return categories{truth: truth.codes, other: moved, n: len(all) + 1, texts: all}
}

// tenths is the number of bins that SDMetrics cuts a column into: NumPy's default.
const tenths = 10

// ownBins cuts each table by its own range. The largest value is in a bin of its own, and NULL is there too:
// numpy.digitize puts both behind the last edge.
func ownBins(truth, other *values) categories {
	x, y := scaled(truth), scaled(other)
	return categories{truth: digitize(x, edges(x)), other: digitize(y, edges(y)), n: tenths + 2}
}

// scaled returns the numbers as SDMetrics sees them: dates and times as nanoseconds since 1970.
func scaled(v *values) []float64 {
	if v.kind != datetime {
		return v.numbers
	}
	unit := float64(day / time.Duration(v.attr.Type.Facts().Day))
	out := make([]float64, len(v.numbers))
	for i, x := range v.numbers {
		out[i] = x * unit
	}
	return out
}

const day = 24 * time.Hour

// edges returns the ends of ten equal bins between the extremes, numpy.histogram_bin_edges to the last bit.
func edges(x []float64) []float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if v == v {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case lo > hi:
		lo, hi = 0, 1
	case lo == hi:
		lo, hi = lo-.5, hi+.5
	}
	out := make([]float64, tenths+1)
	step := (hi - lo) / tenths
	for i := range out {
		out[i] = float64(float64(i)*step) + lo // rounded twice, as NumPy does
	}
	out[tenths] = hi
	return out
}

// digitize returns for each value how many edges are at most as large, for NaN all of them.
func digitize(x, edges []float64) []uint32 {
	out := make([]uint32, len(x))
	for i, v := range x {
		n, _ := slices.BinarySearchFunc(edges, v, func(e, v float64) int {
			if e <= v || v != v {
				return -1
			}
			return 1
		})
		out[i] = uint32(n)
	}
	return out
}

// denseCells is the largest two-way table that is counted in an array; larger ones are counted in a map.
const denseCells = 1 << 20

// contingency is the table of one or two columns, in both tables.
type contingency struct {
	first, second   categories // second: no column
	real, synthetic margins
	dense           [][2]int32
	sparse          map[uint64][2]int32
}

// margins are the counts of each code of the columns of one table.
type margins struct {
	total         int
	first, second []int32
}

// count counts the rows of both tables, with or without those where the first column is code 0.
func (p *contingency) count(withoutNull bool) {
	width := max(p.second.n, 1)
	if cells := p.first.n * width; cells <= denseCells {
		p.dense = make([][2]int32, cells)
	} else {
		p.sparse = map[uint64][2]int32{}
	}
	for t, side := range []struct {
		m             *margins
		first, second []uint32
	}{{&p.real, p.first.truth, p.second.truth}, {&p.synthetic, p.first.other, p.second.other}} {
		side.m.first, side.m.second = make([]int32, p.first.n), make([]int32, width)
		for i, a := range side.first {
			b := uint32(0)
			if side.second != nil {
				b = side.second[i]
			} else if withoutNull && a == 0 {
				continue
			}
			side.m.total++
			side.m.first[a]++
			side.m.second[b]++
			if cell := uint64(a)*uint64(width) + uint64(b); p.dense != nil {
				p.dense[cell][t]++
			} else {
				n := p.sparse[cell]
				n[t]++
				p.sparse[cell] = n
			}
		}
	}
}

// each visits the cells that any row is in, in order: sums of what is rounded repeat.
func (p *contingency) each(visit func(cell uint64, n [2]int32)) {
	for cell, n := range p.dense {
		if n != [2]int32{} {
			visit(uint64(cell), n)
		}
	}
	for _, cell := range slices.Sorted(maps.Keys(p.sparse)) {
		visit(cell, p.sparse[cell])
	}
}

// similarity returns 1 − the total variation of the two tables. It is summed in integers: the order is of
// no account.
func (p *contingency) similarity() Score {
	sum := int64(0)
	p.each(func(_ uint64, n [2]int32) {
		e := int64(n[0])*int64(p.synthetic.total) - int64(n[1])*int64(p.real.total)
		sum += max(e, 0) // deviations sum to 0: their positive part is half of their absolute sum
	})
	return Score(1 - float64(sum)/float64(p.real.total)/float64(p.synthetic.total))
}

// cramer returns Cramér's V of one of the tables, NaN if a column of it is constant.
func (p *contingency) cramer(m *margins) float64 {
	smaller := min(present(m.first), present(m.second))
	if smaller < 2 {
		return math.NaN()
	}
	side := 0
	if m == &p.synthetic {
		side = 1
	}
	width, sum := uint64(max(p.second.n, 1)), 0.0
	p.each(func(cell uint64, counts [2]int32) {
		if n := float64(counts[side]); n > 0 {
			sum += n / float64(m.first[cell/width]) * n / float64(m.second[cell%width])
		}
	})
	return math.Sqrt(max(sum-1, 0) / float64(smaller-1))
}

func present(counts []int32) (n int) {
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}
