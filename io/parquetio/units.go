package parquetio

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// decimal reads a big-endian two's complement number and moves its decimal point by places. What is
// finer than the native unit is rounded down, which moves no value over a cut; what is larger than an
// int64 becomes the nearest int64, which is in the same edge cell.
func decimal(b []byte, places int) int64 {
	negative := len(b) > 0 && b[0] >= 0x80
	fillByte := byte(0)
	if negative {
		fillByte = 0xff
	}
	for len(b) > 16 && b[0] == fillByte {
		b = b[1:]
	}
	if len(b) > 16 {
		return saturated(negative)
	}
	var word [16]byte
	for i := range word {
		word[i] = fillByte
	}
	copy(word[16-len(b):], b)
	hi, lo := binary.BigEndian.Uint64(word[:8]), binary.BigEndian.Uint64(word[8:])
	if negative && hi < 1<<63 { // 17 bytes or more whose sign byte was dropped
		return saturated(true)
	}
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	} else if hi >= 1<<63 {
		return saturated(false)
	}
	return moved(negative, hi, lo, places)
}

func scaled(x int64, places int) int64 {
	if x < 0 {
		return moved(true, 0, -uint64(x), places)
	}
	return moved(false, 0, uint64(x), places)
}

// moved returns ⌊±(hi·2^64 + lo)·10^places⌋, or the nearest int64.
func moved(negative bool, hi, lo uint64, places int) int64 {
	rest := uint64(0)
	for ; places < 0; places += min(18, -places) {
		p := power10(min(18, -places))
		var r uint64
		hi, r = hi/p, hi%p
		lo, r = bits.Div64(r, lo, p)
		rest |= r
	}
	if places > 0 && hi == 0 {
		hi, lo = bits.Mul64(lo, power10(min(18, places)))
	}
	if negative && rest != 0 {
		var carry uint64
		lo, carry = bits.Add64(lo, 1, 0)
		hi += carry
	}
	if hi != 0 || lo > math.MaxInt64 {
		return saturated(negative)
	}
	if negative {
		return -int64(lo)
	}
	return int64(lo)
}

func saturated(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}

func power10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// int96 reads a timestamp of older writers, Spark by default: nanoseconds of a day, and the number of the day,
// 2440588 of which is 1970-01-01.
func int96(b []byte) int64 {
	const day = 86400 * 1000 * 1000
	ns, days := int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:])))-2440588
	us := thousandth(ns)
	hi, lo := bits.Mul64(uint64(max(days, -days)), day)
	if hi != 0 || lo > math.MaxInt64 {
		return saturated(days < 0)
	}
	at := int64(lo)
	if days < 0 {
		at = -at
	}
	if sum := at + us; (sum < at) == (us < 0) {
		return sum
	}
	return saturated(us < 0)
}

// half reads a float of 16 bits as the bits of one of 64.
func half(b []byte) int64 {
	h := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(h>>10&31), float64(h&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		if f = math.Inf(1); fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 == 1 {
		f = math.Copysign(f, -1)
	}
	return int64(math.Float64bits(f))
}

// The units of the file's numbers, to the native ones.

func thousandfold(x int64) int64 { return scaled(x, 3) }

func thousandth(x int64) int64 { return scaled(x, -3) }

func unsigned32(x int64) int64 { return x & math.MaxUint32 }

// unsigned64 serves attributes, whose largest numbers are in one edge cell. It is not for privacy IDs.
func unsigned64(x int64) int64 {
	if x < 0 {
		return math.MaxInt64
	}
	return x
}
