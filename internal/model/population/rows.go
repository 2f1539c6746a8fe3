package population

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
)

// MaxRows is the largest number of rows: above it a float64 cannot place rows to within 1/1000.
const MaxRows = 1 << 40

// Streams of random numbers derived from one seed.
const (
	streamOffset uint64 = 1 + iota
	streamScatter
	streamRefine
	_ // of a list that is no more
	streamPeople
)

// Rows is a fixed list of rows that represents a Model. Any position can be read at any time, by any
// number of readers at once; equal arguments give equal rows on every machine.
type Rows struct {
	n       int64
	width   int
	scatter scatter
	list    list
}

// list is rows in sorted order.
type list interface {
	// row writes the codes of row r.
	row(r int64, dst []domain.Code)
	// each visits runs of equal rows in order; codes is reused between calls.
	each(visit func(codes []domain.Code, copies int64))
}

// NewRows returns n rows for m: refined on the tables of cliques if that Fits, else systematic.
func NewRows(m *Model, cliques []domain.Clique, n int64, seed uint64) *Rows {
	if Fits(n, cliques, m.Sizes) {
		return Refine(m, cliques, n, seed)
	}
	return Systematic(m, n, seed)
}

// Len returns the number of rows.
func (r *Rows) Len() int64 { return r.n }

// At writes the codes of the row at position p to dst, which has Width entries, and returns dst.
func (r *Rows) At(p int64, dst []domain.Code) []domain.Code {
	if p < 0 || p >= r.n || len(dst) != r.width {
		panic("population: a row needs a position below Len and Width codes")
	}
	r.list.row(r.scatter.row(p), dst)
	return dst
}

// Read writes the rows at positions from, from+1, … to dst, one after the other, as many as fit and
// exist, and returns how many.
func (r *Rows) Read(from int64, dst []domain.Code) int {
	if from < 0 || r.width == 0 {
		panic("population: rows are read from a position of at least 0, and have attributes")
	}
	n := int(min(int64(len(dst)/r.width), max(r.n-from, 0)))
	if n == 0 {
		return 0
	}
	row := r.scatter.row(from)
	for i := 0; i < n; i++ {
		r.list.row(row, dst[i*r.width:(i+1)*r.width])
		row = r.scatter.next(row)
	}
	return n
}

func checkRows(m *Model, n int64) {
	if n < 0 || n > MaxRows {
		panic("population: the number of rows is outside 0..MaxRows")
	}
	if m.Len() > math.MaxUint32 {
		panic("population: rows of a model with more than 2^32 records")
	}
	if !(m.Total() > 0) {
		panic("population: rows of a model without weight")
	}
}

// scatter is the permutation p → (a·p + b) mod n from positions of the output to sorted rows.
//
// a/n is as close to the golden ratio as a permutation allows. Its multiples spread most evenly: neighbours
// in the output are far apart in the sorted order, and any block of positions is itself close to a
// systematic sample.
type scatter struct{ n, a, b uint64 }

func newScatter(n int64, seed uint64) scatter {
	s := scatter{n: uint64(n), a: 1, b: rand.New(rand.NewPCG(seed, streamScatter)).Uint64N(uint64(n))}
	if n > 3 {
		const goldenRatio = 0.6180339887498949 // (√5 − 1)/2
		s.a = uint64(goldenRatio * float64(n))
	}
	for gcd(s.a, s.n) != 1 {
		s.a++
	}
	s.a %= s.n
	return s
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (s *scatter) row(p int64) int64 {
	hi, lo := bits.Mul64(s.a, uint64(p))
	lo, carry := bits.Add64(lo, s.b, 0)
	return int64(bits.Rem64(hi+carry, lo, s.n))
}

// next returns row(p+1) from row(p).
func (s *scatter) next(row int64) int64 {
	r := uint64(row) + s.a
	if r >= s.n {
		r -= s.n
	}
	return int64(r)
}
