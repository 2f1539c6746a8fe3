package evaluate

import (
	"math"
	"slices"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/marginal"
)

// categories is a column of both tables in codes below n that mean the same in both. Of matched texts
// code 0 is NULL.
type categories struct {
	truth, other []domain.Code
	n            int
	texts        []string // of codes 1, 2, …, if they are texts
}

// matched gives equal texts of the two tables equal codes.
func matched(truth, other *values) categories {
	to := make([]domain.Code, len(other.texts)+1)
	texts := make(map[string]domain.Code, len(truth.texts))
	for i, s := range truth.texts {
		texts[s] = domain.Code(i + 1)
	}
	all := slices.Clone(truth.texts)
	for i, s := range other.texts {
		code, ok := texts[s]
		if !ok {
			all = append(all, s)
			code = domain.Code(len(all))
		}
		to[i+1] = code
	}
	moved := lists.Of(other.codes, func(c domain.Code) domain.Code { return to[c] })
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
	return lists.Of(v.numbers, func(x float64) float64 { return x * unit })
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
func digitize(x, edges []float64) []domain.Code {
	out := make([]domain.Code, len(x))
	for i, v := range x {
		n, _ := slices.BinarySearchFunc(edges, v, func(e, v float64) int {
			if e <= v || v != v {
				return -1
			}
			return 1
		})
		out[i] = domain.Code(n)
	}
	return out
}

// denseCells is the largest two-way table that is counted in an array; of larger ones the cells that any row is in are.
const denseCells = 1 << 20

// contingency holds the counts of two columns together, in the true table and in the other one.
type contingency struct {
	sizes  [2]int     // codes of the columns
	counts [2][]int32 // of cells
	cells  []int      // which these are: a code of the first column times the second size, plus a code of the second; nil: all, in order
}

func cross(first, second categories) contingency {
	p := contingency{sizes: [2]int{first.n, second.n}}
	tables := [2][][]domain.Code{{first.truth, second.truth}, {first.other, second.other}}
	if cells := first.n * second.n; cells <= denseCells {
		for t, columns := range tables {
			p.counts[t] = make([]int32, cells)
			marginal.Count(p.counts[t], p.sizes[:], domain.Clique{0, 1}, columns, len(columns[0]))
		}
		return p
	}
	at := map[int]int{}
	for t, columns := range tables {
		for r, code := range columns[0] {
			cell := int(code)*second.n + int(columns[1][r])
			i, known := at[cell]
			if !known {
				i = len(p.cells)
				at[cell], p.cells = i, append(p.cells, cell)
				p.counts[0], p.counts[1] = append(p.counts[0], 0), append(p.counts[1], 0)
			}
			p.counts[t][i]++
		}
	}
	return p
}

// cramer returns Cramér's V of the true table or the other one, NaN if a column of it is constant.
func (p *contingency) cramer(table int) float64 {
	return marginal.CramersV(p.sizes[0], p.sizes[1], func(visit func(a, b int, n float64)) {
		for i, n := range p.counts[table] {
			cell := i
			if p.cells != nil {
				cell = p.cells[i]
			}
			visit(cell/p.sizes[1], cell%p.sizes[1], float64(n))
		}
	})
}

// similarity returns 1 − the total variation of counts of two tables, which have so many rows.
func similarity(x, y []int32, rows, others int) Score {
	return Score(1 - difference(x, y, rows, others).tv)
}
