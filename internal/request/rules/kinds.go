package rules

import (
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

// isNumber reports whether a column is one of numbers.
func isNumber(a *domain.Attribute) bool { return a.Type == domain.Int64 || a.Type == domain.Numeric }

// order tries whether x is at most y, if they are alike.
func (s *Search) order(x, y int) {
	a, b := &s.d.Attributes[x], &s.d.Attributes[y]
	if x == y || (a.Type != b.Type || !a.Type.Facts().Calendar) && !(isNumber(a) && isNumber(b) && overlap(a, b)) {
		return
	}
	s.list = append(s.list, &candidate{entry: "order: " + s.names(x, y), x: -1, uses: []int{x, y},
		holds: func(columns []domain.Column, row int) bool {
			v, w := columns[x].Ints[row], columns[y].Ints[row] // a difference may be beyond 64 bits
			return v == w && a.Scale == b.Scale || ones(a, v) <= ones(b, w)
		}})
}

// ones returns a native number of a column in ones.
func ones(a *domain.Attribute, v int64) float64 { return float64(v) * math.Pow10(-a.Scale) }

// overlap reports whether the ranges of two columns of numbers are alike: that an age is below an income is no rule.
func overlap(a, b *domain.Attribute) bool {
	al, ah, bl, bh := ones(a, a.Cuts[0]), ones(a, a.Cuts[1]), ones(b, b.Cuts[0]), ones(b, b.Cuts[1])
	return min(ah, bh)-max(al, bl) >= .5*max(ah-al, bh-bl)
}

// sums tries whether a number is the sum of some others, in units of the finest of them, and of these and others from the at-th
// on, up to three: the fewer come first.
func (s *Search) sums(numbers []int, at int, uses ...int) {
	for _, x := range numbers {
		if len(uses) < 2 || slices.Contains(uses, x) {
			continue
		}
		finest := s.d.Attributes[x].Scale
		for _, k := range uses {
			finest = max(finest, s.d.Attributes[k].Scale)
		}
		units := func(c []domain.Column, k, row int) float64 {
			return float64(c[k].Ints[row]) * math.Pow10(finest-s.d.Attributes[k].Scale)
		}
		s.list = append(s.list, &candidate{entry: "sum: " + s.names(x) + ", of: " + s.names(uses...), x: x, uses: uses,
			holds: func(columns []domain.Column, row int) bool {
				sum := 0.
				for _, k := range uses {
					sum += units(columns, k, row)
				}
				return sum == units(columns, x, row)
			}})
	}
	for i := at; i < len(numbers) && len(uses) < 3; i++ {
		s.sums(numbers, i+1, append(slices.Clip(uses), numbers[i])...)
	}
}

// names writes the name of a column, or a list of several.
func (s *Search) names(columns ...int) string {
	var names []string
	for _, k := range columns {
		names = append(names, s.d.Attributes[k].Name)
	}
	if len(names) == 1 {
		return yamltext.Plain(names[0])
	}
	return yamltext.List(names, yamltext.Plain)
}

// images are the values that a map's column has beside a value, or a pair of values, of what it follows from.
type images map[[2]int64]*image

// image is what a column has beside one of them.
type image struct {
	records map[int64]int
	most    int64 // the most frequent one
}

// leastMapped is the part of the records with listed values that a map has to hold in.
const leastMapped = .99

// mapping tries whether each value of a text, or each pair of values of two, has one value of x, in nearly all records.
func (s *Search) mapping(x int, uses ...int) {
	a, n, open := &s.d.Attributes[x], 1, 0
	for _, k := range uses {
		if n *= len(s.d.Attributes[k].Values); s.d.Attributes[k].Other {
			open = 1
		}
	}
	if m := len(a.Values); slices.Contains(uses, x) || n == 0 || m == 0 && !isNumber(a) || m > n || m == n && len(uses) == 1 && uses[0] > x {
		return
	}
	c := &candidate{entry: "derive: " + s.names(x) + ", from: " + s.names(uses...), x: x, uses: uses, to: images{}, keys: n + open}
	c.holds = func(columns []domain.Column, row int) bool {
		var from [2]int64
		for i, k := range uses {
			from[i] = columns[k].Ints[row]
		}
		value, to := columns[x].Ints[row], c.to[from]
		if to == nil {
			to = &image{map[int64]int{}, value}
			c.to[from] = to
		}
		if to.records[value]++; to.records[value] > to.records[to.most] {
			to.most = value
		} else if value != to.most {
			c.wrong++
		}
		return c.wrong <= leastSeen || float64(c.wrong) <= (1-leastMapped)*float64(c.seen)
	}
	s.list = append(s.list, c)
}

// usual returns the most frequent value of the column that a map computes, and the number of records with another one.
func (m images) usual() (value int64, others int) {
	all := map[int64]int{}
	for _, i := range m {
		for v, n := range i.records {
			all[v] += n
			others += n
		}
	}
	for v, n := range all {
		if n > all[value] || n == all[value] && v < value {
			value = v
		}
	}
	return value, others - all[value]
}

// mapped writes a map by the values of the columns that it uses, from the k-th on.
func (s *Search) mapped(x *candidate, k int, key [2]int64) string {
	var pairs []string
	for v, from := range s.d.Attributes[x.uses[k]].Values {
		to := ""
		if key[k] = int64(v); k+1 < len(x.uses) {
			to = s.mapped(x, k+1, key)
		} else if m := x.to[key]; m != nil {
			to = s.value(x.x, m.most)
		}
		if to != "" {
			pairs = append(pairs, yamltext.Plain(from)+": "+to)
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// value writes a value of a column.
func (s *Search) value(column int, v int64) string {
	a := &s.d.Attributes[column]
	if a.Type == domain.String {
		return yamltext.Plain(a.Values[v])
	}
	return string(a.AppendNative(nil, v))
}
