package query

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

const (
	// LinearBits is the number of binary places of the values of linear queries: they are multiples of 2^-20.
	LinearBits = 20
	one        = 1 << LinearBits
	// MaxLinear is the largest number of linear queries of a workload: each is a candidate of every selection.
	MaxLinear = 100_000
	// MaxLinearValues is the largest number of values of all linear queries of a workload, at 4 bytes each.
	MaxLinearValues = 1 << 24
)

// Linear is a table of linear queries over the cells of a clique. Each gives every cell a value in [−1, 1], a multiple
// of 2^-20, and its answer is the sum of the values of all records, in counts.
//
// NewLinear and Rows compute the sensitivities from the values; there is no other way to make a Linear.
type Linear struct {
	queries, cells int
	values         []int32 // row-major, in steps of 2^-20
	least, most    []int64 // by query

	sum    [2]int64 // by relation: the largest Σ|change of an answer| between neighbours, in steps of 2^-20
	square [2]int64 // by relation: the largest Σ(change of an answer)², in steps of 2^-40

	fingerprint string
}

// NewLinear returns the queries with the given values: one row for each query, with one value for each cell of the
// clique, row-major. Values are rounded to multiples of 2^-20. It fails if there are no queries, if rows have
// different lengths, if a value is outside [−1, 1], if all values of a query are equal, so that no record changes its
// answer, and above MaxLinear queries or MaxLinearValues values.
func NewLinear(rows [][]float64) (*Linear, error) {
	if err := checkLinear(len(rows), rows); err != nil {
		return nil, err
	}
	l := &Linear{queries: len(rows), cells: len(rows[0])}
	for i, row := range rows {
		if len(row) != l.cells {
			return nil, fmt.Errorf("query: query %d has %d values and query 0 has %d; give one for each cell of the clique", i, len(row), l.cells)
		}
		for c, x := range row {
			if !(math.Abs(x) <= 1) {
				return nil, fmt.Errorf("query: query %d has the value %g in cell %d; values lie in [-1, 1]: divide the query by its largest absolute value", i, x, c)
			}
			l.values = append(l.values, int32(math.RoundToEven(x*one)))
		}
	}
	return l, l.measure()
}

func checkLinear(queries int, rows [][]float64) error {
	switch {
	case queries == 0 || len(rows[0]) == 0:
		return fmt.Errorf("query: no queries, or queries without values")
	case queries > MaxLinear:
		return fmt.Errorf("query: %d linear queries; at most %d are possible: leave some out, or ask for marginals that they are sums of", queries, MaxLinear)
	case queries > MaxLinearValues/len(rows[0]):
		return fmt.Errorf("query: %d linear queries of %d values each; at most %d values are possible: use fewer queries, or fewer columns in each",
			queries, len(rows[0]), MaxLinearValues)
	}
	return nil
}

// measure computes bounds, sensitivities and the fingerprint from the values.
func (l *Linear) measure() error {
	hash := sha256.Sum256(l.append(nil))
	l.fingerprint = string(hash[:])
	l.least, l.most = make([]int64, l.queries), make([]int64, l.queries)
	for i := range l.queries {
		row := l.row(i)
		l.least[i], l.most[i] = int64(slices.Min(row)), int64(slices.Max(row))
		if l.least[i] == l.most[i] {
			return fmt.Errorf("query: query %d gives every cell the same value, so that it only counts units; leave it out", i)
		}
	}
	if l.queries == 1 {
		most, widest := max(l.most[0], -l.least[0]), l.most[0]-l.least[0]
		l.sum, l.square = [2]int64{most, widest}, [2]int64{most * most, widest * widest}
		return nil
	}
	columns := l.columns()
	for _, c := range columns {
		l.widen(dp.AddRemove, c, make([]int32, l.queries))
	}
	if n := len(columns); n <= mostPairs/n/l.queries {
		// the pair of records that are farthest apart
		for i, c := range columns {
			for _, d := range columns[:i] {
				l.widen(dp.Replace, c, d)
			}
		}
		return nil
	}
	for i := range l.queries { // the larger of two records' changes, query by query
		d := l.most[i] - l.least[i]
		l.sum[dp.Replace] += d
		l.square[dp.Replace] += d * d
	}
	l.sum[dp.Replace] = min(l.sum[dp.Replace], 2*l.sum[dp.AddRemove])
	l.square[dp.Replace] = min(l.square[dp.Replace], 4*l.square[dp.AddRemove])
	return nil
}

// mostPairs bounds the number of pairs of records to compare: about a second of work.
const mostPairs = 1 << 30

// widen updates the sensitivities by the values of two records.
func (l *Linear) widen(n dp.Neighbouring, x, y []int32) {
	sum, square := int64(0), int64(0)
	for i, v := range x {
		d := int64(v) - int64(y[i])
		sum += max(d, -d)
		square += d * d
	}
	l.sum[n], l.square[n] = max(l.sum[n], sum), max(l.square[n], square)
}

// columns returns the values of all queries in each cell, listing equal columns once.
func (l *Linear) columns() [][]int32 {
	all := make([][]int32, l.cells)
	for c := range all {
		all[c] = make([]int32, l.queries)
		for i := range all[c] {
			all[c][i] = l.values[i*l.cells+c]
		}
	}
	slices.SortFunc(all, slices.Compare)
	return slices.CompactFunc(all, slices.Equal)
}

func (l *Linear) row(i int) []int32 { return l.values[i*l.cells : (i+1)*l.cells] }

// Queries returns the number of queries.
func (l *Linear) Queries() int { return l.queries }

// Cells returns the number of cells of the clique.
func (l *Linear) Cells() int { return l.cells }

// Rows returns the queries i … j−1 as a table of their own.
func (l *Linear) Rows(i, j int) *Linear {
	r := &Linear{queries: j - i, cells: l.cells, values: l.values[i*l.cells : j*l.cells]}
	if err := r.measure(); err != nil {
		panic("query: part of a table of queries that was refused as a whole")
	}
	return r
}

// Bounds returns the least and the largest value of query i of a marginal; for a cell they are 0 and 1.
func (m Marginal) Bounds(i int) (least, most float64) {
	if m.Queries == nil {
		return 0, 1
	}
	return float64(m.Queries.least[i]) / one, float64(m.Queries.most[i]) / one
}

// Value returns the value of query i in a cell.
func (l *Linear) Value(i, cell int) float64 { return float64(l.values[i*l.cells+cell]) / one }

// Whole reports whether all values are −1, 0 or 1, so that answers are whole numbers.
func (l *Linear) Whole() bool {
	return !slices.ContainsFunc(l.values, func(v int32) bool { return v%one != 0 })
}

// Whole reports whether the answers to all linear queries of w are whole numbers. Records with weights answer no others.
func (w Workload) Whole() bool {
	return !slices.ContainsFunc(w.Marginals, func(m Marginal) bool { return m.Queries != nil && !m.Queries.Whole() })
}

// L2Squared returns the squared L2 sensitivity of all answers together, in counts².
func (l *Linear) L2Squared(n dp.Neighbouring) *big.Rat {
	return big.NewRat(l.square[n], 1<<(2*LinearBits))
}

// Count appends the exact answers for the given counts of the clique's cells, in steps of 2^-20 counts. Counts sum to
// at most 2^40, so that answers stay below 2^60.
func (l *Linear) Count(dst, counts []int64) []int64 {
	for i := range l.queries {
		sum := int64(0)
		for c, v := range l.row(i) {
			sum += int64(v) * counts[c]
		}
		dst = append(dst, sum)
	}
	return dst
}

// Eval writes the answers for a table of weights over the clique's cells.
func (l *Linear) Eval(dst, table []float64) {
	for i := range dst {
		sum := 0.0
		for c, v := range l.row(i) {
			sum += float64(v) * table[c]
		}
		dst[i] = sum / one
	}
}

// Adjoint adds Σ_i g[i]·(value of query i) to each cell of the table: Σ Eval(x)·g = Σ x·Adjoint(g).
func (l *Linear) Adjoint(g, table []float64) {
	for i, x := range g {
		if x == 0 {
			continue
		}
		x /= one
		for c, v := range l.row(i) {
			table[c] += x * float64(v)
		}
	}
}

// Opposite returns (l+h)·shift in steps of 2^-20 counts, rounded down, for the bounds l and h of query i and a shift
// in such steps. It is the sum of the answers to q and to its opposite l+h−q, less the same sum for a model. If the
// shift is the difference of a number of units and a public number, the part of the units is exact.
func (l *Linear) Opposite(i int, shift int64) int64 {
	sum := l.least[i] + l.most[i]
	return sum*(shift>>LinearBits) + sum*(shift&(one-1))>>LinearBits
}

// Fingerprint is a hash of the queries; it is empty if l is nil.
func (l *Linear) Fingerprint() string {
	if l == nil {
		return ""
	}
	return l.fingerprint
}

// MarshalJSON returns the numbers of queries and cells, and the values, in base64.
func (l *Linear) MarshalJSON() ([]byte, error) { return json.Marshal(l.append(nil)) }

// UnmarshalJSON reads what MarshalJSON returned, and computes the sensitivities again.
func (l *Linear) UnmarshalJSON(data []byte) error {
	var b []byte
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	r := wire.Reader{Rest: b}
	read, err := readLinear(&r)
	if err != nil || !r.Done() {
		return errFrame
	}
	*l = *read
	return nil
}

func (l *Linear) append(b []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(l.queries)), uint64(l.cells))
	for _, v := range l.values {
		b = binary.AppendVarint(b, int64(v))
	}
	return b
}

func readLinear(r *wire.Reader) (*Linear, error) {
	l := &Linear{queries: r.Length(MaxLinear), cells: r.Length(MaxLinearValues)}
	if r.Bad || l.queries == 0 || l.cells == 0 || l.queries > MaxLinearValues/l.cells || l.queries*l.cells > len(r.Rest) {
		return nil, errFrame
	}
	l.values = make([]int32, l.queries*l.cells)
	for i := range l.values {
		v := r.Varint()
		if v < -one || v > one {
			return nil, errFrame
		}
		l.values[i] = int32(v)
	}
	return l, l.measure()
}
