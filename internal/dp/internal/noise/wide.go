package noise

import (
	"math/big"
	"math/bits"
)

// wide is an unsigned 256-bit integer, least significant word first.
type wide [4]uint64

// wideFromBig returns n, which must be at least 0 and below 2^256.
func wideFromBig(n *big.Int) (w wide) {
	var b [32]byte
	n.FillBytes(b[:])
	for i := range w {
		for _, x := range b[24-8*i : 32-8*i] {
			w[i] = w[i]<<8 | uint64(x)
		}
	}
	return w
}

func (a wide) less(b wide) bool {
	for i := 3; i > 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return a[0] < b[0]
}

// fits reports whether a is below 2^64.
func (a wide) fits() bool { return a[1]|a[2]|a[3] == 0 }

// topWord returns the position of the highest non-zero word; 0 for zero.
func (a wide) topWord() int {
	for i := 3; i > 0; i-- {
		if a[i] != 0 {
			return i
		}
	}
	return 0
}

// sub returns a − b modulo 2^256.
func (a wide) sub(b wide) (d wide) {
	var borrow uint64
	for i := range d {
		d[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return d
}

// times returns a·k modulo 2^256: exact for a up to 2^192.
func (a wide) times(k uint64) (p wide) {
	var carry uint64
	for i := range p {
		hi, lo := bits.Mul64(a[i], k)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return p
}

// square returns (hi·2^64 + lo)².
func square(hi, lo uint64) (s wide) {
	s[1], s[0] = bits.Mul64(lo, lo)
	s[3], s[2] = bits.Mul64(hi, hi)
	midHi, midLo := bits.Mul64(hi, lo)
	for range 2 {
		var c uint64
		s[1], c = bits.Add64(s[1], midLo, 0)
		s[2], c = bits.Add64(s[2], midHi, c)
		s[3] += c
	}
	return s
}
