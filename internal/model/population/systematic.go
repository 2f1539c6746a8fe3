package population

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// systematic is the sorted list of N rows in run-length form: record j of those that have rows stands
// in rows ends[j−1] … ends[j]−1. Memory follows the model, not N.
type systematic struct {
	ends  []int64  // strictly rising; the last is N
	guide []uint32 // guide[b] is the record of row b<<shift
	shift uint
	width int

	codes    []domain.Code // record j's codes at j·width; nil for a universe
	cells    []uint32      // record j's cell of the universe
	universe *decoder
}

// newSystematic samples n rows: row r is the first record i, in sorted order, whose cumulative weight
// C_i exceeds (r+u)·C/n. In whole numbers: ceil(C_i·n/C − u) rows stand at or before record i.
func newSystematic(m *Model, n int64, u float64) *systematic {
	s := &systematic{width: len(m.Sizes)}
	scale := float64(n) / m.Total()
	var cumulative summation.Compensated
	var records []uint32
	last, filled := -1, int64(0)
	m.sorted(func(i int) {
		w := m.Weights[i]
		if !(w > 0) {
			return // a record without weight never has a row
		}
		last = i
		cumulative.Add(w)
		end := int64(math.Ceil(float64(cumulative.Sum()*scale) - u))
		if end = min(end, n); end > filled {
			records, s.ends = append(records, uint32(i)), append(s.ends, end)
			filled = end
		}
	})
	if filled < n { // rounding left the end of the last record a hair short of the total
		records, s.ends = append(records, uint32(last)), append(s.ends, n)
	}
	s.keep(m, records)
	s.index(n)
	return s
}

// keep stores the way to find the codes of the records that have rows.
func (s *systematic) keep(m *Model, records []uint32) {
	if m.Columns == nil {
		s.cells, s.universe = records, newDecoder(m.Sizes)
		return
	}
	s.codes = make([]domain.Code, len(records)*s.width)
	for a, column := range m.Columns { // one after the other, since a cache holds more of one than of all
		for j, i := range records {
			s.codes[j*s.width+a] = column[i]
		}
	}
}

// index builds the guide: about two entries per record, so that a look-up visits a constant number of records on
// average, whatever the weights.
func (s *systematic) index(n int64) {
	for n>>s.shift > 2*int64(len(s.ends))+16 {
		s.shift++
	}
	s.guide = make([]uint32, n>>s.shift+2)
	j := 0
	for b := range s.guide {
		for j < len(s.ends)-1 && s.ends[j] <= int64(b)<<s.shift {
			j++
		}
		s.guide[b] = uint32(j)
	}
}

// find returns the record of row r.
func (s *systematic) find(r int64) int {
	b := r >> s.shift
	lo, hi := s.guide[b], s.guide[b+1]
	for lo < hi {
		if s.ends[lo] > r {
			return int(lo)
		}
		lo++
		if mid := lo + (hi-lo)/2; s.ends[mid] > r {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return int(lo)
}

func (s *systematic) record(j int, dst []domain.Code) {
	if s.codes != nil {
		copy(dst, s.codes[j*s.width:(j+1)*s.width])
		return
	}
	s.universe.decode(s.cells[j], dst)
}

func (s *systematic) row(r int64, dst []domain.Code) { s.record(s.find(r), dst) }

func (s *systematic) each(visit func(codes []domain.Code, copies int64)) {
	codes := make([]domain.Code, s.width)
	from := int64(0)
	for j, end := range s.ends {
		s.record(j, codes)
		visit(codes, end-from)
		from = end
	}
}

// Systematic returns n rows that represent m with the smallest memory: the number of rows of every
// record, and of every range of records in sorted order, is within 1 of its exact share.
//
// It panics on a model without weight, and unless 0 ≤ n ≤ MaxRows.
func Systematic(m *Model, n int64, seed uint64) *Rows {
	checkRows(m, n)
	if n == 0 {
		return &Rows{width: len(m.Sizes)}
	}
	u := rand.New(rand.NewPCG(seed, streamOffset)).Float64()
	return &Rows{n: n, width: len(m.Sizes), scatter: newScatter(n, seed), list: newSystematic(m, n, u)}
}
