package noise

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Laplace draws y ∈ Z with P(y) ∝ exp(−|y|·s/t). It is a value without state; make it once and draw
// many times. Its scale t/s is in grid steps.
type Laplace struct{ s, t uint64 }

// maxScaleBits bounds the scale of Laplace noise: a result exceeds int64 with probability below exp(−2^15), and the
// trial is then rejected.
const maxScaleBits = 47

// NewLaplace returns the discrete Laplace law of the given scale, in grid steps. It fails unless the
// scale is above 0 and below 2^47 and both terms of the reduced fraction are below 2^63.
func NewLaplace(scale *big.Rat) (Laplace, error) {
	limit := new(big.Rat).SetInt64(1 << maxScaleBits)
	if scale.Sign() <= 0 || scale.Cmp(limit) >= 0 || !scale.Num().IsInt64() || !scale.Denom().IsInt64() {
		return Laplace{}, fmt.Errorf("noise: discrete Laplace scale %s: want above 0, below 2^%d, terms below 2^63",
			scale.RatString(), maxScaleBits)
	}
	return Laplace{s: scale.Denom().Uint64(), t: scale.Num().Uint64()}, nil
}

// Draw returns y ∈ Z with P(y) ∝ exp(−|y|/scale).
//
// Guarantee: exact law given an exact source. The number of trials varies, 2 at most on average.
// Source: Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Algorithm 2.
func (l Laplace) Draw(src Source) int64 {
	for {
		if y, ok := l.Trial(src); ok {
			return y
		}
	}
}

// Trial makes one attempt of Draw. Given that it succeeds, y has Draw's law.
func (l Laplace) Trial(src Source) (y int64, ok bool) {
	u := src.Below(l.t)
	if !src.BernExp(u, l.t) {
		return 0, false
	}
	v := uint64(0)
	for src.BernExp(1, 1) {
		v++
	}
	hi, lo := bits.Mul64(l.t, v)
	lo, carry := bits.Add64(lo, u, 0)
	hi += carry
	negative := src.Below(2) == 1
	if hi >= l.s { // the quotient would leave 64 bits
		return 0, false
	}
	magnitude, _ := bits.Div64(hi, lo, l.s)
	if magnitude>>63 != 0 || (negative && magnitude == 0) { // −0 would count zero twice
		return 0, false
	}
	if negative {
		return -int64(magnitude), true
	}
	return int64(magnitude), true
}
