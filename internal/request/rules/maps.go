package rules

import (
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

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
	c := &candidate{entry: "derive: " + s.names([]int{x}) + ", from: " + s.names(uses), x: x, uses: uses, to: images{}, keys: n + open}
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
