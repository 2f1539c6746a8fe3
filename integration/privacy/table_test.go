package privacy

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// table is a private table of one coded record per unit, or of the weighted records of people. It counts by brute force.
type table struct {
	sizes   []int
	records [][]domain.Code
	weights []int64 // of people's records, in steps of 2^-bits
	people  int64
	bits    int
}

func (t table) Units() int64 {
	if t.bits > 0 {
		return t.people
	}
	return int64(len(t.records))
}

func (t table) WeightBits() int { return t.bits }

func (t table) Marginal(c domain.Clique) []int64 {
	n, err := c.Cells(t.sizes)
	if err != nil {
		panic("privacy: a clique without a count of cells")
	}
	counts := make([]int64, n)
	for i, r := range t.records {
		w := int64(1)
		if t.bits > 0 {
			w = t.weights[i]
		}
		counts[c.Cell(t.sizes, r)] += w
	}
	return counts
}

// count returns the counts of units in the cells of c.
func (t table) count(c domain.Clique) (counts []float64) {
	for _, n := range t.Marginal(c) {
		counts = append(counts, math.Ldexp(float64(n), -t.bits))
	}
	return counts
}

// with returns the table with records at the end, and without the records at the given positions.
func (t table) with(add [][]domain.Code, without ...int) table {
	out := table{sizes: t.sizes}
	gone := map[int]bool{}
	for _, i := range without {
		gone[i] = true
	}
	for i, r := range t.records {
		if !gone[i] {
			out.records = append(out.records, r)
		}
	}
	out.records = append(out.records, add...)
	return out
}

// randomTable returns a table of one of the shapes that have caught mistakes: empty, one record, all
// records equal, spread evenly, and skewed with cells that hold one record.
func randomTable(rng *rand.Rand, sizes []int) table {
	t := table{sizes: sizes}
	n, skew := 1+rng.IntN(60), 1+rng.IntN(3)
	switch rng.IntN(6) {
	case 0:
		n = rng.IntN(2)
	case 1:
		same := randomRecord(rng, sizes, skew)
		for range n {
			t.records = append(t.records, same)
		}
		return t
	}
	for range n {
		t.records = append(t.records, randomRecord(rng, sizes, skew))
	}
	return t
}

// randomRecord prefers low codes the more the larger skew is.
func randomRecord(rng *rand.Rand, sizes []int, skew int) []domain.Code {
	r := make([]domain.Code, len(sizes))
	for a, k := range sizes {
		v := k
		for range skew {
			v = min(v, rng.IntN(k))
		}
		r[a] = domain.Code(v)
	}
	return r
}

// corner is the record of all highest codes: the outlier of a skewed table.
func corner(sizes []int) []domain.Code {
	r := make([]domain.Code, len(sizes))
	for a, k := range sizes {
		r[a] = domain.Code(k - 1)
	}
	return r
}

// neighbour returns a neighbour of t that differs in a record of one of the nasty kinds: an outlier, a
// duplicate of another record, or a random one; added, removed, or in place of any other.
func neighbour(rng *rand.Rand, n dp.Neighbouring, t table) table {
	record := randomRecord(rng, t.sizes, 1)
	switch rng.IntN(3) {
	case 0:
		record = corner(t.sizes)
	case 1:
		if len(t.records) > 0 {
			record = t.records[rng.IntN(len(t.records))]
		}
	}
	if n == dp.Replace {
		return t.with([][]domain.Code{record}, rng.IntN(len(t.records)))
	}
	if len(t.records) > 0 && rng.IntN(2) == 0 {
		return t.with(nil, rng.IntN(len(t.records)))
	}
	return t.with([][]domain.Code{record})
}
