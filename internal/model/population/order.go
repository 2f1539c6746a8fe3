package population

import (
	"cmp"
	"math/bits"
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

// sortedBy returns records in lexicographic order of some attributes. It packs their codes into words, as many as fit. A
// stable radix sort for each word, the least significant first, then looks at no column.
func sortedBy(m *Model, records []uint32, keys []int) []uint32 {
	s := radix{order: slices.Clone(records), nextOrder: make([]uint32, len(records))}
	s.words, s.nextWords = make([]uint64, len(records)), make([]uint64, len(records))
	for last := len(keys); last > 0; {
		first, most := last, uint64(1)
		for first > 0 {
			high, product := bits.Mul64(most, uint64(m.Sizes[keys[first-1]]))
			if high > 0 {
				break
			}
			first, most = first-1, product
		}
		clear(s.words)
		for _, a := range keys[first:last] {
			s.append(m, a)
		}
		for shift := 0; shift < bits.Len64(most-1); shift += digitBits {
			s.pass(shift)
		}
		last = first
	}
	return s.order
}

// digitBits are the bits that a pass sorts by: so many counters fit into a core's nearest cache.
const digitBits = 11

// radix sorts records by words.
type radix struct {
	words, nextWords []uint64
	order, nextOrder []uint32
}

// append adds the codes of an attribute to the words, below what they hold.
func (s *radix) append(m *Model, a int) {
	size := uint64(m.Sizes[a])
	if m.Columns == nil {
		for j, i := range s.order {
			s.words[j] = s.words[j]*size + uint64(m.codeOf(int(i), a))
		}
		return
	}
	for j, i := range s.order {
		s.words[j] = s.words[j]*size + uint64(m.Columns[a][i])
	}
}

// pass is a stable counting pass for a digit.
func (s *radix) pass(shift int) {
	var next [1<<digitBits + 1]uint32
	for _, w := range s.words {
		next[w>>shift&(1<<digitBits-1)+1]++
	}
	for d := 1; d < len(next); d++ {
		next[d] += next[d-1]
	}
	for j, w := range s.words {
		at := &next[w>>shift&(1<<digitBits-1)]
		s.nextWords[*at], s.nextOrder[*at] = w, s.order[j]
		*at++
	}
	s.words, s.nextWords, s.order, s.nextOrder = s.nextWords, s.words, s.nextOrder, s.order
}
