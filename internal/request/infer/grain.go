package infer

import (
	"bytes"
	"math"
	"math/big"
	"strconv"

	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// grain is the largest number that all numbers of a column are multiples of: unit·10^−places.
type grain struct {
	unit   int64 // 0 as long as there is no number but 0
	places int
	none   bool // an int64 does not hold it, or one of the numbers in units of it
}

// add takes the number v·10^−places.
func (g *grain) add(v int64, places int) {
	if g.none || v == 0 || g.unit == 1 && places <= g.places {
		return
	}
	if g.unit == 0 {
		g.places = places
	}
	finer, ok := g.unit, v != math.MinInt64
	if places > g.places {
		finer, ok = scaled(g.unit, places-g.places)
	} else if ok {
		v, ok = scaled(v, g.places-places)
	}
	if g.none = !ok; ok {
		g.unit, g.places = gcd(max(v, -v), finer), max(g.places, places)
	}
}

// scaled returns v·10^n, if an int64 holds it.
func scaled(v int64, n int) (int64, bool) {
	if n > 18 {
		return 0, false
	}
	unit := int64(1)
	for range n {
		unit *= 10
	}
	product := v * unit
	return product, product/unit == v && -math.MaxInt64 < product && product < math.MaxInt64
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// exactDigits is how many digits a float64 holds: what sums and products leave beyond them is rounding.
const exactDigits = 15

// addFloat takes the shortest decimal number that is read as v, which is finite, but 10.35702 of 10.357019999999999. It
// returns buf for the next one.
func (g *grain) addFloat(v float64, buf []byte) []byte {
	if n := int64(v); float64(n) == v && max(n, -n) < 1<<53 {
		g.add(n, 0)
		return buf
	}
	buf = strconv.AppendFloat(buf[:0], v, 'e', exactDigits-1, 64)
	digits, exponent, _ := bytes.Cut(buf, []byte("e"))
	whole, fraction, _ := bytes.Cut(digits, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	e, _ := strconv.Atoi(string(exponent))
	n, _ := strconv.ParseInt(string(whole)+string(fraction), 10, 64)
	g.add(n, len(fraction)-e)
	return buf
}

// step returns the largest round number that everything is a multiple of; nil if none was found.
func (g *grain) step() *big.Rat {
	if g.none || g.unit == 0 {
		return nil
	}
	all := new(big.Rat).Mul(new(big.Rat).SetInt64(g.unit), cellkind.Unit(g.places))
	k := rounds * (19 - g.places)
	for !isMultiple(all, roundNumber(k)) { // of 10^−places it is one
		k--
	}
	return roundNumber(k)
}

// rounds is how many round numbers there are from a power of ten to the next.
const rounds = 4

// roundNumber returns the k-th of the round numbers …, 0.5, 1, 2, 2.5, 5, 10, 20, 25, …, where 1 is number 0.
func roundNumber(k int) *big.Rat {
	n, m := k/rounds, k%rounds
	if m < 0 {
		n, m = n-1, m+rounds
	}
	return new(big.Rat).Mul(cellkind.Unit(-n), [rounds]*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(5, 2), big.NewRat(5, 1)}[m])
}

// isMultiple reports whether a is a multiple of b; of nil everything is.
func isMultiple(a, b *big.Rat) bool { return b == nil || new(big.Rat).Quo(a, b).IsInt() }
