package population

import (
	"cmp"
	"slices"
)

// keyOrder returns the attributes by rising size: the most significant key of the sorted order first.
// Attributes of one size keep their order.
func keyOrder(sizes []int) []int {
	order := make([]int, len(sizes))
	for a := range order {
		order[a] = a
	}
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
	for _, i := range m.sortedColumns() {
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

// sortedColumns is a radix sort: one stable counting pass per attribute, the least significant first.
func (m *Model) sortedColumns() []uint32 {
	order := keyOrder(m.Sizes)
	from, to := make([]uint32, m.Len()), make([]uint32, m.Len())
	for i := range from {
		from[i] = uint32(i)
	}
	for j := len(order) - 1; j >= 0; j-- {
		col := m.Columns[order[j]]
		next := make([]uint32, m.Sizes[order[j]]+1)
		for _, c := range col {
			next[c+1]++
		}
		for v := 1; v < len(next); v++ {
			next[v] += next[v-1]
		}
		for _, i := range from {
			c := col[i]
			to[next[c]] = i
			next[c]++
		}
		from, to = to, from
	}
	return from
}
