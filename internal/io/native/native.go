// Package native turns the numbers of files into the native units of domains. It rounds down, which moves no number over a
// cut point. A number that the units do not hold is Beyond, and never another number.
package native

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Beyond stands for a number that is larger or smaller than an int64 holds in the native unit.
const Beyond = math.MinInt64

// unusable is the text of a cell that is Beyond, or outside of its type. No type but STRING reads it.
const unusable = "beyond the type"

// Settle makes a column of Form Ints one of texts if a cell is not a value of the attribute's type, such as a date of the
// year 10,000: that cell is a text which the attribute cannot use, as in a CSV file. The others encode to what they were.
// A whole number of an INT64 needs no settling, unless it was converted.
func Settle(c *domain.Column, a *domain.Attribute) {
	facts := a.Type.Facts()
	least, most := max(facts.Least, Beyond+1), facts.Most
	if c.Form != domain.Ints || !outside(c, least, most) {
		return
	}
	c.Bytes, c.Offsets = c.Bytes[:0], append(c.Offsets[:0], 0)
	for i, v := range c.Ints {
		switch {
		case c.Null(i):
		case v < least || v > most:
			c.Bytes = append(c.Bytes, unusable...)
		default:
			c.Bytes = a.AppendNative(c.Bytes, v)
		}
		c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
	}
	c.Form, c.Ints = domain.Text, c.Ints[:0]
}

// outside reports whether some cell is below least or above most. The number of a NULL says nothing.
func outside(c *domain.Column, least, most int64) bool {
	for i, v := range c.Ints {
		if (v < least || v > most) && !c.Null(i) {
			return true
		}
	}
	return false
}

// Unit is a unit of time by its number in a second, as a power of ten.
type Unit int

// The units of time that formats have.
const (
	Seconds Unit = 0
	Millis  Unit = 3
	Micros  Unit = 6
	Nanos   Unit = 9
)

// ToMicros returns a time in microseconds.
func (u Unit) ToMicros(v int64) int64 {
	if u == Micros {
		return v
	}
	return Scaled(v, int(Micros-u))
}

// Unsigned returns a number of 64 bits without a sign.
func Unsigned(v uint64) int64 {
	if v > math.MaxInt64 {
		return Beyond
	}
	return int64(v)
}

// Single returns the decimal number of few places that a float of 32 bits stands for, such as 3.1, or the float itself.
func Single(v float32) float64 {
	x, unit := float64(v), 1.
	for range 6 {
		if short := math.Round(x*unit) / unit; float32(short) == v {
			return short
		}
		unit *= 10
	}
	return x
}

// Days returns whole days of a number of milliseconds.
func Days(millis int64) int64 {
	const day = 24 * 60 * 60 * 1000
	days := millis / day
	if millis%day < 0 {
		days--
	}
	return days
}

// Decimal reads a big-endian two's complement number of any length, and moves its decimal point by places, at most 76 either
// way. A number of more than 32 bytes is Beyond: the widest decimals of formats have 76 digits.
func Decimal(b []byte, places int) int64 {
	w, ok := Wide(b)
	if !ok {
		return Beyond
	}
	return Words(w, places)
}

// Wide returns the four words of a big-endian two's complement number of any length, the lowest first; false: it has more.
func Wide(b []byte) (w [4]uint64, ok bool) {
	fill := byte(0)
	if len(b) > 0 && b[0] >= 0x80 {
		fill = 0xff
	}
	for len(b) > 32 && b[0] == fill {
		b = b[1:]
	}
	if len(b) > 32 {
		return w, false
	}
	var all [32]byte
	for i := range all {
		all[i] = fill
	}
	copy(all[32-len(b):], b)
	for i := range w {
		w[i] = binary.BigEndian.Uint64(all[24-8*i:])
	}
	return w, true
}

// Words is Decimal of the four words of a number, the lowest first.
func Words(w [4]uint64, places int) int64 {
	negative := w[3]>>63 == 1
	if negative {
		carry := uint64(1)
		for i := range w {
			w[i], carry = bits.Add64(^w[i], 0, carry)
		}
	}
	return moved(negative, w, places)
}

// Half returns the value of a float of 16 bits. Arrow-go v18.6.0 makes another number of one below 2^-14.
func Half(bits uint16) float64 {
	f, exponent := float64(bits&1023), int(bits>>10&31)
	switch exponent {
	case 0:
		f = math.Ldexp(f, -24)
	case 31:
		if f != 0 {
			return math.NaN()
		}
		f = math.Inf(1)
	default:
		f = math.Ldexp(1024+f, exponent-25)
	}
	if bits>>15 == 1 {
		return -f
	}
	return f
}

// Scaled returns ⌊v·10^places⌋.
func Scaled(v int64, places int) int64 {
	size := uint64(v)
	if v < 0 {
		size = -size
	}
	return moved(v < 0, [4]uint64{size}, places)
}

// moved returns ⌊±w·10^places⌋, w being the four words of a number, the lowest first.
func moved(negative bool, w [4]uint64, places int) int64 {
	const step = 18 // the largest power of ten in 63 bits
	rest, top := uint64(0), 3
	for top > 0 && w[top] == 0 {
		top--
	}
	for ; places < 0; places += min(step, -places) {
		p, r := Power10(min(step, -places)), uint64(0)
		for i := top; i >= 0; i-- {
			w[i], r = bits.Div64(r, w[i], p)
		}
		rest |= r
	}
	hi := w[1] | w[2] | w[3]
	for ; places > 0 && hi == 0 && w[0] != 0; places -= min(step, places) {
		hi, w[0] = bits.Mul64(w[0], Power10(min(step, places)))
	}
	if negative && rest != 0 { // rounded down
		if w[0]++; w[0] == 0 {
			hi = 1
		}
	}
	switch {
	case hi != 0 || w[0] > math.MaxInt64:
		return Beyond
	case negative:
		return -int64(w[0])
	}
	return int64(w[0])
}

// Power10 returns 10^n for n from 0 to 19.
func Power10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}
