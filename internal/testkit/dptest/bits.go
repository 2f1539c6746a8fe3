package dptest

import (
	"math"
	"math/big"
	"sync"
)

// Bits is a precision in which laws and bounds are computed: results of its methods are new numbers of that
// many bits, off by a few units of the last.
type Bits uint

// Law is the precision of exact laws: 256 bits. A run's probabilities are sums of at most 10^7 products of at
// most 100 factors, so that their relative errors stay below 2^-220.
const Law Bits = 256

// guard is how many bits Exp, Log and Normal work with beyond the bits of their result.
const guard = 64

func (b Bits) zero() *big.Float { return new(big.Float).SetPrec(uint(b)) }

// Of returns x.
func (b Bits) Of(x float64) *big.Float { return b.zero().SetFloat64(x) }

// Rat returns x.
func (b Bits) Rat(x *big.Rat) *big.Float { return b.zero().SetRat(x) }

// Add returns x + y.
func (b Bits) Add(x, y *big.Float) *big.Float { return b.zero().Add(x, y) }

// Sub returns x − y.
func (b Bits) Sub(x, y *big.Float) *big.Float { return b.zero().Sub(x, y) }

// Mul returns x·y.
func (b Bits) Mul(x, y *big.Float) *big.Float { return b.zero().Mul(x, y) }

// Quo returns x/y.
func (b Bits) Quo(x, y *big.Float) *big.Float { return b.zero().Quo(x, y) }

// Exp returns exp(x), |x| < 2^30: the Taylor series at x/2^k, below 2^-30, squared k times.
func (b Bits) Exp(x *big.Float) *big.Float {
	w := b + guard
	k := max(0, 30+x.MantExp(nil))
	z := w.zero().SetMantExp(x, -k)
	sum, term := w.Of(1), w.Of(1)
	divisor := new(big.Float)
	for n := uint64(1); term.Sign() != 0 && term.MantExp(nil) > -int(w); n++ {
		term.Mul(term, z)
		term.Quo(term, divisor.SetUint64(n))
		sum.Add(sum, term)
	}
	for range k {
		sum, term = term.Mul(sum, sum), sum
	}
	return sum.SetPrec(uint(b))
}

// Log returns ln x for x > 0, to 2^-b absolute: Halley's iteration on Exp from the float64 value, which triples
// the digits each time.
func (b Bits) Log(x *big.Float) *big.Float {
	w := b + guard
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	y := w.Of(math.Log(m) + float64(exponent)*math.Ln2)
	for digits := Bits(40); digits < w; digits *= 3 {
		e := w.Exp(y)
		step := w.Quo(w.Sub(x, e), w.Add(x, e))
		y.Add(y, step.Add(step, step))
	}
	return y.SetPrec(uint(b))
}

// Pi returns π by Machin's formula.
func (b Bits) Pi() *big.Float {
	w := b + guard
	arctan := func(n float64) *big.Float { // of 1/n
		power, sum := w.Quo(w.Of(1), w.Of(n)), w.Of(0)
		for k := 1.0; power.MantExp(nil) > -int(w); k += 2 {
			sum.Add(sum, w.Quo(power, w.Of(k)))
			power = w.Quo(power, w.Of(-n*n))
		}
		return sum
	}
	return w.Sub(w.Mul(w.Of(16), arctan(5)), w.Mul(w.Of(4), arctan(239))).SetPrec(uint(b))
}

var rootsOf2Pi sync.Map // by precision

func (b Bits) rootOf2Pi() *big.Float {
	if root, ok := rootsOf2Pi.Load(b); ok {
		return root.(*big.Float)
	}
	root := b.zero().Sqrt(b.Mul(b.Of(2), b.Pi()))
	rootsOf2Pi.Store(b, root)
	return root
}

// Normal returns Φ(x), to 2^-b absolute, for |x| ≤ 25:
//
//	Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …)
//
// Where x is below 0, −log₂ Φ(x) of its bits cancel.
func (b Bits) Normal(x *big.Float) *big.Float {
	w := b + guard
	square := w.Mul(x, x)
	sum, term := w.Of(0), w.zero().Set(x)
	divisor := new(big.Float)
	for k := uint64(3); term.Sign() != 0 && (sum.Sign() == 0 || term.MantExp(nil) > sum.MantExp(nil)-int(w)); k += 2 {
		sum.Add(sum, term)
		term.Mul(term, square)
		term.Quo(term, divisor.SetUint64(k))
	}
	density := w.Quo(w.Exp(w.Quo(square, w.Of(-2))), w.rootOf2Pi())
	return w.Add(w.Of(.5), density.Mul(density, sum)).SetPrec(uint(b))
}
