// Package native turns the numbers of files into the native units of domains. It rounds down, which moves no number over a
// cut point, and saturates beyond an int64, where all numbers are in one edge cell.
package native

import (
	"math"
	"math/big"
)

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
	switch u {
	case Micros:
		return v
	case Nanos:
		q := v / 1000
		if v%1000 < 0 {
			q--
		}
		return q
	}
	factor := int64(1000)
	if u == Seconds {
		factor *= 1000
	}
	switch {
	case v > math.MaxInt64/factor:
		return math.MaxInt64
	case v < math.MinInt64/factor:
		return math.MinInt64
	}
	return v * factor
}

// MaxPlaces is how many decimal places a number can be moved by.
const MaxPlaces = 76

// Moved returns ⌊v·10^places⌋ for −76 ≤ places ≤ 76; it overwrites v.
func Moved(v *big.Int, places int) int64 {
	if places >= 0 {
		v.Mul(v, tens[places])
	} else {
		v.Div(v, tens[-places]) // Euclidean: rounds down, as the divisor is positive
	}
	switch {
	case v.IsInt64():
		return v.Int64()
	case v.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// Tens returns 10^n, which is not to be changed, for 0 ≤ n ≤ 76.
func Tens(n int) *big.Int { return tens[n] }

var tens = func() (p [MaxPlaces + 1]*big.Int) {
	for n := range p {
		p[n] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	}
	return p
}()
