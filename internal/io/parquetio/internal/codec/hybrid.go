package codec

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// appendHybrid appends numbers of width bits in the RLE and bit-packed hybrid, which hybrid decodes.
// Equal numbers that begin a group of eight are written as a run if that saves bytes.
//
// Source: Apache Parquet format, Encodings, "Run Length Encoding / Bit-Packing Hybrid".
func appendHybrid(dst []byte, v []uint32, width int) []byte {
	// A run takes up to five bytes and starts a new bit-packed piece after it: eight bytes pay for both.
	dst = slices.Grow(dst, len(v)*width/8+len(v)/64)
	long := (64/width + 7) / 8 * 8
	for len(v) > 0 {
		if n := equal(v); n >= long || n == len(v) {
			dst = binary.AppendUvarint(dst, uint64(n)<<1)
			var number [4]byte
			binary.LittleEndian.PutUint32(number[:], v[0])
			dst = append(dst, number[:(width+7)/8]...)
			v = v[n:]
			continue
		}
		n := 8
		for n < len(v) && (len(v)-n < long || v[n] != v[n+long-1] || equal(v[n:]) < long) {
			n += 8
		}
		dst = binary.AppendUvarint(dst, uint64(n/8)<<1|1)
		dst = appendPacked(dst, v[:min(n, len(v))], width)
		v = v[min(n, len(v)):]
	}
	return dst
}

// equal returns how many numbers at the start of v are equal.
func equal(v []uint32) int {
	n := 1
	for n < len(v) && v[n] == v[0] {
		n++
	}
	return n
}

// appendPacked appends numbers least significant bit first, filled up with zeros to a multiple of eight.
func appendPacked(dst []byte, v []uint32, width int) []byte {
	var word uint64
	held := 0
	for _, x := range v {
		word |= uint64(x) << held
		if held += width; held >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
			held -= 32
		}
	}
	for held > 0 {
		dst = append(dst, byte(word))
		word >>= 8
		held -= 8
	}
	return append(dst, make([]byte, missing(len(v), width))...)
}

// missing returns the bytes that fill n numbers up to a multiple of eight.
func missing(n, width int) int { return (n+7)/8*width - (n*width+7)/8 }

// bitWidth returns the bits that numbers below n take, at least one: some readers know no width of 0.
func bitWidth(n int) int { return max(1, bits.Len(uint(n-1))) }
