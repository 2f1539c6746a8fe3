package infer

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// spread says where the numbers of a column lie: by sign and power of two, or by year. What is far from all else, and is one
// value or a few records, is no part of the range: one record decides no column.
type spread map[int]*heap

// heap is what lies together: numbers in ones, or dates in days.
type heap struct {
	n      int64
	lo, hi float64
}

// apart reports whether a heap may lie outside the range: it is one value, or a few records.
func (h *heap) apart() bool { return h.lo == h.hi || h.n < MinSupport }

// add takes a number in ones, or of a calendar the days since 1970.
func (s *spread) add(x float64, calendar bool) {
	_, power := math.Frexp(math.Abs(x))
	key := min(max(power, -80), 80) + 100
	switch {
	case calendar:
		key = int(math.Floor(x / 365.2425))
	case x == 0:
		key = 0
	case x < 0:
		key = -key
	}
	s.count(key, x, 1)
}

// count counts a number in a heap.
func (s *spread) count(key int, x float64, n int64) {
	if *s == nil {
		*s = spread{}
	}
	h := (*s)[key]
	if h == nil {
		h = &heap{lo: x, hi: x}
		(*s)[key] = h
	}
	h.n, h.lo, h.hi = h.n+n, min(h.lo, x), max(h.hi, x)
}

// farPowers and farYears are how much has to be empty for what is behind it to be far.
const (
	farPowers = 4
	farYears  = 20
)

// farSteps is the least number of steps of a range for which it matters that most of it is empty.
const farSteps = 1000

// rest returns the range without what is far from it, and the values that are far and frequent.
func (s spread) rest(calendar bool) (lo, hi float64, codes []float64, far bool) {
	keys := slices.Sorted(maps.Keys(s))
	all := int64(0)
	for _, h := range s {
		all += h.n
	}
	for len(keys) > 1 {
		end, others := keys[len(keys)-1], keys[:len(keys)-1]
		if first := keys[0]; calendar && keys[1]-first > end-others[len(others)-1] || !calendar && -first > end {
			end, others = first, keys[1:]
		}
		h, gap := s[end], math.MaxInt
		lo, hi := s.within(others)
		for _, k := range others {
			switch {
			case calendar:
				gap = min(gap, max(end-k, k-end))
			case s[k].apart() && (k < 0 && end > 0 || k > 0 && end < 0): // codes on both sides of 0
			default:
				gap = min(gap, max(end, -end)-max(k, -k))
			}
		}
		if calendar && gap < farYears || !calendar && gap < farPowers || lo == hi || !h.apart() || h.lo != h.hi && h.n > all/2 {
			break
		}
		if h.n >= MinSupport {
			codes = append(codes, h.lo)
		}
		keys, far = others, true
	}
	lo, hi = s.within(keys)
	return lo, hi, codes, far
}

// within are the least and the largest number of some heaps.
func (s spread) within(keys []int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, k := range keys {
		lo, hi = min(lo, s[k].lo), max(hi, s[k].hi)
	}
	return lo, hi
}

// ends are the least and the largest number of the range: without what is far from it.
func (t *tally) ends() (lo, hi *big.Rat, far bool) {
	if lo, hi = t.exact(t.lo), t.exact(t.hi); t.Type == domain.Float64 {
		least, most := t.spread.within(slices.Collect(maps.Keys(t.spread)))
		lo, hi = rational(least), rational(most)
	}
	step := t.grain.step()
	if step == nil {
		step = big.NewRat(1, 1)
	}
	least, most, _, far := t.spread.rest(false)
	if width := new(big.Rat).Sub(hi, lo); !far || width.Cmp(new(big.Rat).Mul(step, big.NewRat(farSteps, 1))) < 0 {
		return lo, hi, false
	}
	return rational(least), rational(most), true
}

// rational is the shortest decimal number that is read as x.
func rational(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(string(domain.AppendFloat(nil, x)))
	return r
}

// span are the first and the last moment, in native units, without what is far from them, and the frequent days that are.
func (t *tally) span() (first, last int64, far []int64) {
	lo, hi, codes, isFar := t.spread.rest(true)
	day := t.Type.Facts().Day
	if !isFar || day == 0 {
		return t.lo, t.hi, nil
	}
	for _, x := range codes {
		far = append(far, int64(math.Round(x*float64(day))))
	}
	slices.Sort(far)
	return int64(math.Round(lo * float64(day))), int64(math.Round(hi * float64(day))), far
}
