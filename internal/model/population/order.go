package population

import (
	"cmp"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// keyOrder returns the attributes by rising size: the most significant key of the sorted order first.
// Attributes of one size keep their order.
func keyOrder(sizes []int) []int {
	order := domain.All(len(sizes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	return order
}

// sorted calls visit with the index of every record, in lexicographic order of the codes taken by
// rising size of the attributes. Equal records keep their order.
func (m *Model) sorted(visit func(i int)) {
	if m.Columns == nil {
		walkUniverse(m.Sizes, keyOrder(m.Sizes), visit)
		return
	}
	all := make([]uint32, m.Len())
	for i := range all {
		all[i] = uint32(i)
	}
	for _, i := range sortedBy(m, all, keyOrder(m.Sizes)) {
		visit(int(i))
	}
}

// walkUniverse counts through all cells with the axes in the given order, the last fastest.
func walkUniverse(sizes, order []int, visit func(i int)) {
	stride := make([]int, len(sizes))
	for a, s := len(sizes)-1, 1; a >= 0; a-- {
		stride[a] = s
		s *= sizes[a]
	}
	var walk func(depth, cell int)
	walk = func(depth, cell int) {
		if depth == len(order) {
			visit(cell)
			return
		}
		a := order[depth]
		for v := 0; v < sizes[a]; v++ {
			walk(depth+1, cell+v*stride[a])
		}
	}
	walk(0, 0)
}

// sortedBy returns records in lexicographic order of some attributes: a radix sort, with a stable counting pass for each, the
// least significant first.
func sortedBy(m *Model, records []uint32, keys []int) []uint32 {
	from, to := slices.Clone(records), make([]uint32, len(records))
	for k := len(keys) - 1; k >= 0; k-- {
		a := keys[k]
		next := make([]uint32, m.Sizes[a]+1)
		for _, i := range from {
			next[m.code(i, a)+1]++
		}
		for v := 1; v < len(next); v++ {
			next[v] += next[v-1]
		}
		for _, i := range from {
			c := m.code(i, a)
			to[next[c]] = i
			next[c]++
		}
		from, to = to, from
	}
	return from
}
