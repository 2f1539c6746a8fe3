package mrf

import (
	"math/bits"

	"github.com/dapple-dp/dapple/dp/domain"
)

// bitset is a set of attributes.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) set(i int)   { s[i/64] |= 1 << (i % 64) }
func (s bitset) clear(i int) { s[i/64] &^= 1 << (i % 64) }

func (s bitset) or(t bitset) {
	for i, x := range t {
		s[i] |= x
	}
}

// within reports whether every member of s is in t.
func (s bitset) within(t bitset) bool {
	for i, x := range s {
		if x&^t[i] != 0 {
			return false
		}
	}
	return true
}

// each visits the members in rising order.
func (s bitset) each(visit func(i int)) {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			visit(w*64 + bits.TrailingZeros64(x))
		}
	}
}

func (s bitset) clique() domain.Clique {
	var c domain.Clique
	s.each(func(i int) { c = append(c, i) })
	return c
}
