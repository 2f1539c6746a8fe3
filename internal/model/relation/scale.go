package relation

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// scale is the values of an ordered column as whole numbers that are compared with others' values: decimals in
// units of the finest of them, float64 by their place among all float64, everything else in the native unit.
type scale struct {
	attr        *domain.Attribute
	unit        int64 // what one native unit counts
	step        int64 // between values; 1 if list is set
	list        []int64
	least, most int64

	written  map[int64]int64 // what is written in place of a multiple of step
	multiple map[int64]int64 // its inverse

	learned *domain.Distribution // of values by their numbers; nil: each is alike in its cell
}

// newScale is called once the orders are known.
func (p *Plan) newScale(a int) scale {
	attr := &p.columns[a]
	s := scale{attr: attr, unit: 1, step: 1}
	if attr.Type == domain.Numeric || attr.Type == domain.Int64 {
		for range p.places(a) - attr.Scale {
			s.unit *= 10
		}
	}
	if len(attr.Values) == 0 && attr.Type != domain.Float64 {
		s.step = max(1, attr.Resolution) * s.unit
	}
	first := true
	for code := range cells(attr) {
		lo, hi, ok := s.ends(domain.Code(code))
		if !ok {
			continue
		}
		if first {
			s.least, s.most, first = lo, hi, false
		}
		s.least, s.most = min(s.least, lo), max(s.most, hi)
		if len(attr.Values) > 0 {
			s.list = append(s.list, lo)
		}
	}
	slices.Sort(s.list)
	s.written, s.multiple = exact(attr, s.unit)
	if attr.Type != domain.Float64 {
		s.learned = attr.Distribution()
	}
	return s
}

// exact returns the exact values of a column by the multiples of its resolution that each is written in place of, and the
// other way round. Scales of FLOAT64 are the same in all columns that are compared, and need none.
func exact(a *domain.Attribute, unit int64) (written, multiple map[int64]int64) {
	if len(a.Exact) == 0 {
		return nil, nil
	}
	written, multiple = map[int64]int64{}, map[int64]int64{}
	for _, x := range a.Exact {
		m := a.Nearest(x) * unit
		written[m], multiple[x*unit] = x*unit, m
	}
	return written, multiple
}

// of returns the multiple of step that a value is written for.
func (s *scale) of(x int64) int64 {
	if m, ok := s.multiple[x]; ok {
		return m
	}
	return x
}

// at is the inverse of of.
func (s *scale) at(m int64) int64 {
	if x, ok := s.written[m]; ok {
		return x
	}
	return m
}

// number returns the number of a value among all of the column.
func (s *scale) number(x int64) int { return int((s.of(x) - s.of(s.least)) / s.step) }

// density returns the share of a value, 1 if shares are not known.
func (s *scale) density(x int64) float64 {
	if s.learned == nil {
		return 1
	}
	k := float64(s.number(x))
	return s.learned.Below(k+1) - s.learned.Below(k)
}

// places returns the most decimal places of the columns that a is in order with, directly or by way of others.
func (p *Plan) places(a int) int {
	group, most := []int{a}, 0
	for k := 0; k < len(group); k++ {
		if at := &p.columns[group[k]]; at.Type == domain.Numeric {
			most = max(most, at.Scale)
		}
		for b := range p.before {
			if (p.before[group[k]][b] || p.before[b][group[k]]) && !slices.Contains(group, b) {
				group = append(group, b)
			}
		}
	}
	return most
}

// ends returns the least and the largest value of a cell.
func (s *scale) ends(code domain.Code) (lo, hi int64, ok bool) {
	if s.attr.Type == domain.Float64 {
		l, h, ok := s.attr.FloatEnds(code)
		return rank(l), rank(h), ok
	}
	lo, hi, ok = s.attr.Ends(code)
	return times(lo, s.unit), times(hi, s.unit), ok
}

// times returns x·unit, or the end of int64 that is nearest.
func times(x, unit int64) int64 {
	switch {
	case x > math.MaxInt64/unit:
		return math.MaxInt64
	case x < math.MinInt64/unit:
		return math.MinInt64
	}
	return x * unit
}

// rank returns the place of a number among all float64, from the least up. It is its own inverse's.
func rank(x float64) int64 {
	b := int64(math.Float64bits(x + 0)) // one zero
	if b < 0 {
		return math.MinInt64 - b
	}
	return b
}

// ranked is the inverse of rank.
func ranked(r int64) float64 {
	if r < 0 {
		r = math.MinInt64 - r
	}
	return math.Float64frombits(uint64(r))
}

// floor returns the largest value that is at most x, and at least lo.
func (s *scale) floor(x, lo int64) int64 {
	if s.list != nil {
		if i, found := slices.BinarySearch(s.list, x); !found && i > 0 {
			x = s.list[i-1]
		}
		return max(x, lo)
	}
	if s.written == nil {
		return max(s.step*floorDiv(x, s.step), lo)
	}
	m := s.inside(s.step * floorDiv(x, s.step))
	for s.at(m) > x && m > s.of(s.least) { // exact values are a step away from their multiples, or beyond the range
		m -= s.step
	}
	for m < s.of(s.most) && s.at(m+s.step) <= x {
		m += s.step
	}
	return max(s.at(m), lo)
}

// ceil returns the least value that is at least x, and at most hi.
func (s *scale) ceil(x, hi int64) int64 {
	if s.list != nil {
		if i, found := slices.BinarySearch(s.list, x); !found && i < len(s.list) {
			x = s.list[i]
		}
		return min(x, hi)
	}
	if x > hi {
		return hi
	}
	if s.written == nil {
		return min(-s.step*floorDiv(-x, s.step), hi)
	}
	m := s.inside(-s.step * floorDiv(-x, s.step))
	for s.at(m) < x && m < s.of(s.most) {
		m += s.step
	}
	for m > s.of(s.least) && s.at(m-s.step) >= x {
		m -= s.step
	}
	return min(s.at(m), hi)
}

// inside returns the multiple nearest to m for which a value is written.
func (s *scale) inside(m int64) int64 { return min(max(m, s.of(s.least)), s.of(s.most)) }

// has reports whether x is a value of the column.
func (s *scale) has(x int64) bool {
	if s.list != nil {
		_, ok := slices.BinarySearch(s.list, x)
		return ok
	}
	m := s.of(x)
	return s.least <= x && x <= s.most && m%s.step == 0 && s.at(m) == x
}

// contains reports whether all values of x that are in the column's range are its own.
func (s *scale) contains(x *scale) bool {
	if x.step%s.step != 0 {
		return false
	}
	for m, v := range x.written {
		if s.written[m] != v {
			return false
		}
	}
	for m := range s.written {
		if _, ok := x.written[m]; !ok && m%x.step == 0 {
			return false
		}
	}
	return true
}

// get returns the value of a row.
func (s *scale) get(c *domain.Column, row int) int64 {
	if c.Form == domain.Floats {
		return rank(c.Floats[row])
	}
	return c.Ints[row] * s.unit
}

// set changes the value of a row.
func (s *scale) set(c *domain.Column, row int, x int64) {
	if c.Form == domain.Floats {
		c.Floats[row] = ranked(x)
		return
	}
	c.Ints[row] = x / s.unit
}
