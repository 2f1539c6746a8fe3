package domain

import (
	"math"
	"math/big"
	"math/bits"
)

// EqualCuts returns the bins+1 cut points of equal bins of [lo, hi]: lo + i·(hi−lo)/bins, rounded up,
// because a whole number is below a real cut point exactly if it is below its ceiling. With
// bins = hi−lo+1 every whole number is a bin. It returns nil if lo > hi, or if bins is not in
// 1..min(MaxSize, hi−lo+1).
func EqualCuts(lo, hi int64, bins int) []int64 {
	width := uint64(hi) - uint64(lo)
	if lo > hi || bins < 1 || bins > MaxSize || uint64(bins-1) > width {
		return nil
	}
	cuts := make([]int64, bins+1)
	n := uint64(bins)
	for i := range cuts {
		h, l := bits.Mul64(width, uint64(i))
		q, r := bits.Div64(h, l, n) // h < n, because i ≤ n and width < 2^64
		if r > 0 {
			q++
		}
		cuts[i] = int64(uint64(lo) + q)
	}
	return cuts
}

// EqualFloatCuts returns the bins+1 cut points of equal bins of [lo, hi], or nil if lo ≥ hi, if bins is
// not in 1..MaxSize, or if the cut points do not all differ.
func EqualFloatCuts(lo, hi float64, bins int) []float64 {
	if !(lo < hi) || bins < 1 || bins > MaxSize || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return nil
	}
	cuts := make([]float64, bins+1)
	for i := range cuts {
		cuts[i] = interpolate(lo, hi, i, bins)
		if i > 0 && cuts[i] <= cuts[i-1] {
			return nil
		}
	}
	return cuts
}

// interpolate returns lo + (hi−lo)·i/n rounded once, so that edges such as 0.3 come out as written
// if they can: the sum is exact.
func interpolate(lo, hi float64, i, n int) float64 {
	l, h := decimalRat(lo), decimalRat(hi)
	d := h.Sub(h, l)
	d.Mul(d, big.NewRat(int64(i), int64(n)))
	v, _ := d.Add(d, l).Float64()
	return v
}

// decimalRat returns the number that v's shortest decimal text says: 0.1 for the float64 nearest to it.
func decimalRat(v float64) *big.Rat {
	r, ok := new(big.Rat).SetString(string(AppendFloat(nil, v)))
	if !ok {
		panic("domain: a finite float64 has a decimal text")
	}
	return r
}

// Step is a step of the calendar or of the clock.
type Step uint8

// The steps that cells can have. Weeks begin on Monday.
const (
	Minute Step = iota + 1
	Hour
	Day
	Week
	Month
	Quarter
	Year
)

var stepNames = [...]string{"", "minute", "hour", "day", "week", "month", "quarter", "year"}

// String returns the step's name in a domain file.
func (s Step) String() string { return stepNames[s] }

// ParseStep reads the name of a step.
func ParseStep(name string) (Step, bool) {
	for i, n := range stepNames {
		if i > 0 && n == name {
			return Step(i), true
		}
	}
	return 0, false
}

// Start returns the first value of the step that v lies in, both in the native unit of t, which the step fits.
func (s Step) Start(t Type, v int64) int64 { return s.boundary(t, s.number(t, v)) }

// Fits reports whether columns of type t can have the step: days and longer for DATE, hours and minutes
// for TIME, all for DATETIME and TIMESTAMP (in UTC).
func (s Step) Fits(t Type) bool {
	steps := types[t].steps
	return s > 0 && steps[0] <= s && s <= steps[1]
}

// CalendarCuts returns cut points at every boundary of the step inside [lo, hi], which is in the native
// unit of t, and at both ends. Each cell is one step or the part of it that lies inside: a DATE that is
// itself a boundary at hi makes a last cell of that one day. It returns nil if lo > hi, if the step does
// not fit t, if lo or hi is outside years 1..9999 (TIME: outside a day), or if there were more than
// MaxSize cells.
func CalendarCuts(t Type, lo, hi int64, s Step) []int64 {
	if f := t.Facts(); !s.Fits(t) || lo > hi || lo < f.Least || hi > f.Most {
		return nil
	}
	cuts := []int64{lo}
	for i := s.number(t, lo) + 1; ; i++ {
		b := s.boundary(t, i)
		if b > hi || b == hi && types[t].Day > 1 {
			return append(cuts, hi)
		}
		if len(cuts) == MaxSize {
			return nil
		}
		cuts = append(cuts, b)
	}
}

// monday is 1970-01-05, the first Monday after day 0.
const monday = 4

// number returns the number of the step that v lies in: months are counted from year 0, weeks from the
// first Monday of 1970, the others from 1970-01-01 or midnight.
func (s Step) number(t Type, v int64) int64 {
	switch s {
	case Minute:
		return floorDiv(v, 60*microsPerSecond)
	case Hour:
		return floorDiv(v, 3600*microsPerSecond)
	}
	v = floorDiv(v, types[t].Day)
	switch s {
	case Day:
		return v
	case Week:
		return floorDiv(v-monday, 7)
	}
	year, month, _ := civilDate(v)
	return (year*12 + month - 1) / s.months()
}

// boundary returns the first value of step number i.
func (s Step) boundary(t Type, i int64) int64 {
	switch s {
	case Minute:
		return i * 60 * microsPerSecond
	case Hour:
		return i * 3600 * microsPerSecond
	case Week:
		i = i*7 + monday
	case Month, Quarter, Year:
		m := i * s.months()
		i = civilDay(m/12, m%12+1, 1)
	}
	return i * types[t].Day
}

// months returns the length of a step in months.
func (s Step) months() int64 {
	switch s {
	case Month:
		return 1
	case Quarter:
		return 3
	}
	return 12
}
