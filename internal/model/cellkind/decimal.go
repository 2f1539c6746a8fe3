package cellkind

import (
	"math/big"
	"strings"
)

// Unit is 10^−places.
func Unit(places int) *big.Rat {
	r := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(places, -places))), nil))
	if places > 0 {
		r.Inv(r)
	}
	return r
}

// FloorTo returns the largest multiple of a step that is not above x.
func FloorTo(x, step *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(x, step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // rounds down
	return q.Mul(q.SetInt(n), step)
}

// Digits writes a number in full, with at most one decimal place more than a NUMERIC has.
func Digits(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(x.FloatString(MaxPlaces+1), "0")
}
