package evaluate

import (
	"context"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// trends compares each pair of columns on the domain's cells.
func trends(ctx context.Context, truth, other *Table, d *domain.Domain) (Property, error) {
	pairs := allPairs(d.Len())
	mids := middles(d)
	items := make([]Item, len(pairs))
	err := parallel(ctx, len(pairs), func(next func() (int, bool)) {
		var s scratch
		for i, ok := next(); ok; i, ok = next() {
			pair := pairs[i]
			items[i] = Item{Columns: pair.Names(d), Metric: "cell_tv"}
			if mids[pair[0]] != nil && mids[pair[1]] != nil {
				items[i].Metric = "cell_correlation"
				items[i].Score = correlationSimilarity(truth, other, pair, mids)
			} else {
				items[i].Score = contingencySimilarity(truth, other, pair, &s)
			}
		}
	})
	return newProperty(items), err
}

func allPairs(n int) []domain.Clique {
	pairs, both := make([]domain.Clique, 0, n*(n-1)/2), make([]int, 0, n*(n-1))
	for a := range n {
		for b := a + 1; b < n; b++ {
			both = append(both, a, b)
			pairs = append(pairs, both[len(both)-2:len(both):len(both)])
		}
	}
	return pairs
}

// denseCells is the largest two-way table that is counted in an array; larger ones are counted in a map.
const denseCells = 1 << 20

func contingencySimilarity(truth, other *Table, pair domain.Clique, s *scratch) Score {
	if cells, err := pair.Cells(truth.Sizes); err == nil && cells <= denseCells {
		x, y := s.count(truth, other, pair)
		return Score(1 - difference(x, y, truth.Rows, other.Rows).tv)
	}
	type counts struct{ x, y int32 }
	seen := map[[2]domain.Code]counts{}
	for r := range truth.Rows {
		key := [2]domain.Code{truth.Columns[pair[0]][r], truth.Columns[pair[1]][r]}
		n := seen[key]
		n.x++
		seen[key] = n
	}
	for r := range other.Rows {
		key := [2]domain.Code{other.Columns[pair[0]][r], other.Columns[pair[1]][r]}
		n := seen[key]
		n.y++
		seen[key] = n
	}
	sum := int64(0)
	for _, c := range seen {
		e := int64(c.x)*int64(other.Rows) - int64(c.y)*int64(truth.Rows)
		sum += max(e, 0) // deviations sum to 0: their positive part is half of their absolute sum
	}
	return Score(1 - float64(sum)/float64(truth.Rows)/float64(other.Rows))
}

func correlationSimilarity(truth, other *Table, pair domain.Clique, mids [][]float64) Score {
	r, s := correlation(truth, pair, mids), correlation(other, pair, mids)
	return Score(1 - math.Abs(r-s)/2) // NaN if either is not defined
}

// correlation returns Pearson's coefficient of two columns over the rows in which neither is NULL, each
// cell at its middle; NaN if a column is constant.
func correlation(t *Table, pair domain.Clique, mids [][]float64) float64 {
	x, y := mids[pair[0]], mids[pair[1]]
	first, second := t.Columns[pair[0]], t.Columns[pair[1]]
	each := func(visit func(u, v float64)) {
		for r := range first {
			if a, b := int(first[r]), int(second[r]); a < len(x) && b < len(y) {
				visit(x[a], y[b])
			}
		}
	}
	n, mu, mv := 0.0, 0.0, 0.0
	each(func(u, v float64) { n++; mu += u; mv += v })
	mu, mv = mu/n, mv/n
	uu, vv, uv := 0.0, 0.0, 0.0
	each(func(u, v float64) {
		u, v = u-mu, v-mv
		uu += u * u
		vv += v * v
		uv += u * v
	})
	if !(uu > constant*n && vv > constant*n) { // of no rows as well
		return math.NaN()
	}
	return uv / math.Sqrt(uu) / math.Sqrt(vv)
}

// constant bounds the variance that rounding gives a constant column of numbers in [0, 1].
const constant = 1e-20

// middles returns for each numeric attribute the middles of its bins on a scale where the first cut is
// 0 and the last is 1 (Pearson's coefficient does not see the scale, and microseconds squared would
// lose their digits), and nil for the others.
func middles(d *domain.Domain) [][]float64 {
	out := make([][]float64, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		if !numeric(a) {
			continue
		}
		low, high := bins(a)
		first, width := low[0], high[len(high)-1]-low[0]
		out[i] = make([]float64, len(low))
		for c := range low {
			out[i][c] = ((low[c] - first) + (high[c] - first)) / 2 / width
		}
	}
	return out
}

// bins returns the smallest and the largest value of each bin. The largest of a bin of integers is one
// step of the resolution below its upper cut, but for the last bin, which is closed.
func bins(a *domain.Attribute) (low, high []float64) {
	n := a.Bins()
	if len(a.FloatCuts) > 0 {
		return a.FloatCuts[:n], a.FloatCuts[1:]
	}
	low, high = make([]float64, n), make([]float64, n)
	for c := range n {
		last := a.Cuts[c+1]
		if c < n-1 {
			last = max(a.Cuts[c], last-a.Resolution)
		}
		low[c], high[c] = float64(a.Cuts[c]), float64(last)
	}
	return low, high
}
