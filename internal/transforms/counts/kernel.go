package counts

import "github.com/dapple-dp/dapple/dp/domain"

// blockRows is the number of records counted at a time: their columns and partial cell numbers stay in the
// second-level cache while every table is counted, and a table that is fetched from the third-level cache gets enough
// increments to be worth it.
const blockRows = 4096

// kernel counts blocks of records into tables. The cell numbers of leading attributes are reused for the next clique
// that begins with the same ones, so that a table takes one multiplication, one addition and one increment per
// record.
type kernel struct {
	sizes   []int
	cliques []domain.Clique
	fresh   []int               // leading attributes shared with the previous clique
	partial [][blockRows]uint32 // partial[d][i]: cell of record i in the clique's first d+1 attributes
}

func newKernel(sizes []int, cliques []domain.Clique) *kernel {
	k := &kernel{sizes: sizes, cliques: cliques, fresh: make([]int, len(cliques))}
	depth, prev := 0, domain.Clique(nil)
	for i, c := range cliques {
		depth = max(depth, len(c)-1)
		for k.fresh[i] < min(len(c), len(prev))-1 && c[k.fresh[i]] == prev[k.fresh[i]] {
			k.fresh[i]++
		}
		prev = c
	}
	k.partial = make([][blockRows]uint32, depth)
	return k
}

// tally adds the records of at most blockRows rows to tables, one for each clique. columns[a] holds attribute a; what
// stands behind the last one, if anything does, are weights. Without them each record weighs 1.
func tally[T int64 | uint32](k *kernel, tables [][]T, columns [][]domain.Code) {
	var weights []domain.Code
	if len(columns) > len(k.sizes) {
		weights = columns[len(k.sizes)]
	}
	for i, c := range k.cliques {
		switch len(c) {
		case 0:
		case 1:
			countOne(tables[i], columns[c[0]], weights)
		default:
			k.extend(c, k.fresh[i], columns)
			last := c[len(c)-1]
			countLast(tables[i], k.partial[len(c)-2][:], uint32(k.sizes[last]), columns[last], weights)
		}
	}
}

// extend computes the partial cell numbers of c from depth from on.
func (k *kernel) extend(c domain.Clique, from int, columns [][]domain.Code) {
	for d := from; d < len(c)-1; d++ {
		col := columns[c[d]]
		dst := k.partial[d][:len(col)]
		if d == 0 {
			for i, v := range col {
				dst[i] = uint32(v)
			}
			continue
		}
		src, size := k.partial[d-1][:len(col)], uint32(k.sizes[c[d]])
		for i, v := range col {
			dst[i] = src[i]*size + uint32(v)
		}
	}
}

func countOne[T int64 | uint32](table []T, col, weights []domain.Code) {
	if weights != nil {
		weights = weights[:len(col)]
		for i, v := range col {
			table[v] += T(weights[i])
		}
		return
	}
	for _, v := range col {
		table[v]++
	}
}

func countLast[T int64 | uint32](table []T, partial []uint32, size uint32, col, weights []domain.Code) {
	partial = partial[:len(col)]
	if weights != nil {
		weights = weights[:len(col)]
		for i, v := range col {
			table[partial[i]*size+uint32(v)] += T(weights[i])
		}
		return
	}
	for i, v := range col {
		table[partial[i]*size+uint32(v)]++
	}
}

// sumOut returns the marginal of sub, a subset of the clique c with the given table: row-major, the
// last attribute fastest.
func sumOut[T int64 | uint32](sizes []int, c domain.Clique, table []T, sub domain.Clique) []T {
	inner := 1
	for i := len(c) - 1; i >= 0; i-- {
		if size := sizes[c[i]]; sub.Contains(c[i : i+1]) {
			inner *= size
		} else {
			table = sumAxis(table, size, inner)
		}
	}
	return table
}

// sumAxis sums a table of shape (outer, size, inner) over its middle axis.
func sumAxis[T int64 | uint32](table []T, size, inner int) []T {
	out := make([]T, len(table)/size)
	for o := 0; o*inner < len(out); o++ {
		dst := out[o*inner : (o+1)*inner]
		for s := range size {
			src := table[(o*size+s)*inner:]
			for j := range dst {
				dst[j] += src[j]
			}
		}
	}
	return out
}
