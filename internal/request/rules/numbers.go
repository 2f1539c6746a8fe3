package rules

import (
	"math"
	"slices"

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
	s.list = append(s.list, &candidate{entry: "order: " + s.names([]int{x, y}), x: -1, uses: []int{x, y},
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

// sums tries whether a number is the sum of others, in units of the finest of them.
func (s *Search) sums(numbers []int, uses ...int) {
	for _, x := range numbers {
		if slices.Contains(uses, x) {
			continue
		}
		most := s.d.Attributes[x].Scale
		for _, k := range uses {
			most = max(most, s.d.Attributes[k].Scale)
		}
		units := func(c []domain.Column, k, row int) float64 {
			return float64(c[k].Ints[row]) * math.Pow10(most-s.d.Attributes[k].Scale)
		}
		s.list = append(s.list, &candidate{entry: "sum: " + s.names([]int{x}) + ", of: " + s.names(uses), x: x, uses: uses,
			holds: func(columns []domain.Column, row int) bool {
				sum := 0.
				for _, k := range uses {
					sum += units(columns, k, row)
				}
				return sum == units(columns, x, row)
			}})
	}
}

// names writes the name of a column, or a list of several.
func (s *Search) names(columns []int) string {
	if len(columns) == 1 {
		return yamltext.Plain(s.d.Attributes[columns[0]].Name)
	}
	names := make([]string, len(columns))
	for i, k := range columns {
		names[i] = s.d.Attributes[k].Name
	}
	return yamltext.List(names, yamltext.Plain)
}
