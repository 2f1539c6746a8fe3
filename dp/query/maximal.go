package query

import (
	"encoding/binary"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Maximal returns the marginals that no other marginal of w contains: the ones worth measuring, since the others are
// sums of them. A contained marginal's weight is added to those marginals that contain it whose own weight is
// smaller. Tables of linear queries are kept, and contain nothing.
//
// Cost: the marginals times the subsets of each; 100,000 triples take about .1 s.
func (w Workload) Maximal() Workload {
	at := make(map[string]int, len(w.Marginals))
	inside := make([]bool, len(w.Marginals))
	weight := make([]float64, len(w.Marginals))
	for i, m := range w.Marginals {
		if weight[i] = m.Weight; m.Queries == nil {
			key := binaryKey(m.Clique)
			if j, ok := at[key]; ok {
				inside[j] = true // a repeat counts once
			}
			at[key] = i
		}
	}
	for i, m := range w.Marginals {
		if m.Queries == nil {
			w.within(m.Clique, at, func(j int) {
				if j != i {
					weight[i] = max(weight[i], w.Marginals[j].Weight)
					inside[j] = inside[j] || len(w.Marginals[j].Clique) < len(m.Clique)
				}
			})
		}
	}
	m := Workload{Sizes: w.Sizes}
	for i, a := range w.Marginals {
		if !inside[i] {
			m.Marginals = append(m.Marginals, Marginal{Clique: a.Clique, Weight: weight[i], Queries: a.Queries})
		}
	}
	return m
}

// enumerable is the largest width whose subsets are looked up one by one.
const enumerable = 10

// within calls visit with the marginals inside c, in any order.
func (w Workload) within(c domain.Clique, at map[string]int, visit func(j int)) {
	if len(c) > enumerable {
		for j, m := range w.Marginals {
			if m.Queries == nil && c.Contains(m.Clique) {
				visit(j)
			}
		}
		return
	}
	var key [8 * enumerable]byte
	for set := range 1 << len(c) {
		sub := key[:0]
		for i, a := range c {
			if set>>i&1 == 1 {
				sub = binary.LittleEndian.AppendUint64(sub, uint64(a))
			}
		}
		if j, ok := at[string(sub)]; ok {
			visit(j)
		}
	}
}

// binaryKey is Key in a form that is faster to make.
func binaryKey(c domain.Clique) string {
	key := make([]byte, 0, 8*len(c))
	for _, a := range c {
		key = binary.LittleEndian.AppendUint64(key, uint64(a))
	}
	return string(key)
}
