package relation

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// maxListed bounds the values and the combinations of values that are looked at one by one.
const maxListed = 1 << 18

// possible returns the values that column j can have, ascending, or nil if they are too many or have no
// native unit.
func (p *Plan) possible(j int) []int64 {
	if list, ok := p.lists[j]; ok {
		return list
	}
	var list []int64
	if j < p.d.Len() {
		list = listed(&p.columns[j])
	} else {
		for _, st := range p.steps {
			if st.column == j {
				list = p.enumerate(st)
			}
		}
	}
	p.lists[j] = list
	return list
}

// listed returns the values of an attribute.
func listed(a *domain.Attribute) (list []int64) {
	written, multiple := exact(a, 1)
	for code := range cells(a) {
		lo, hi, ok := a.Ends(domain.Code(code))
		if !ok {
			continue
		}
		if m, ok := multiple[lo]; ok {
			lo = m
		}
		if m, ok := multiple[hi]; ok {
			hi = m
		}
		step := max(1, uint64(a.Resolution))
		n := (uint64(hi) - uint64(lo)) / step
		if n >= maxListed || len(list) > maxListed {
			return nil
		}
		for k := range n + 1 {
			x := int64(uint64(lo) + k*step)
			if at, ok := written[x]; ok {
				x = at
			}
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// enumerate returns all values that a step can compute, ascending, or nil if it takes too many combinations.
func (p *Plan) enumerate(st step) []int64 {
	if st.ints == nil || st.dict != nil {
		return nil
	}
	lists, combinations := make([][]int64, len(st.uses)), 1
	for k, j := range st.uses {
		if lists[k] = p.possible(j); lists[k] == nil || combinations > maxListed/len(lists[k]) {
			return nil
		}
		combinations *= len(lists[k])
	}
	columns := make([]domain.Column, len(p.columns))
	for _, j := range st.uses {
		columns[j].Ints = make([]int64, 1)
	}
	seen := map[int64]bool{}
	for n := range combinations {
		for k, j := range st.uses {
			columns[j].Ints[0] = lists[k][n%len(lists[k])]
			n /= len(lists[k])
		}
		if p.inOrder(st.uses, columns) {
			seen[st.ints(columns, 0)] = true
		}
	}
	list := make([]int64, 0, len(seen))
	for x := range seen {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// inOrder reports whether the values in row 0 of the columns are as the orders have them.
func (p *Plan) inOrder(uses []int, columns []domain.Column) bool {
	for _, a := range uses {
		for _, b := range uses {
			if p.ordered(a, b) && p.scales[a].get(&columns[a], 0) > p.scales[b].get(&columns[b], 0) {
				return false
			}
		}
	}
	return true
}
