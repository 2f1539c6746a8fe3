package accountant

import (
	"math"
	"math/big"
)

// quantumBits: elementary losses are rounded up, and shares down, to multiples of 2^-80. Sums of any length then have
// short denominators and stay exact; the rounding costs below 1e-24 per draw.
const quantumBits = 80

// ceilGrid returns the least multiple of 2^-bits that is at least x ≥ 0.
func ceilGrid(x *big.Rat, bits int) *big.Rat {
	n := new(big.Int).Lsh(x.Num(), uint(bits))
	n.Add(n, x.Denom())
	n.Sub(n, big.NewInt(1))
	return grid(n.Quo(n, x.Denom()), bits)
}

// floorGrid returns the greatest multiple of 2^-bits that is at most x ≥ 0.
func floorGrid(x *big.Rat, bits int) *big.Rat {
	n := new(big.Int).Lsh(x.Num(), uint(bits))
	return grid(n.Quo(n, x.Denom()), bits)
}

// grid returns n·2^-bits.
func grid(n *big.Int, bits int) *big.Rat {
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
}

// power returns 2^n for any integer n.
func power(n int) *big.Rat {
	if n < 0 {
		return grid(big.NewInt(1), -n)
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

// floatUp returns the least float64 that is at least x.
func floatUp(x *big.Rat) float64 {
	f, exact := x.Float64()
	if exact || new(big.Rat).SetFloat64(f).Cmp(x) >= 0 {
		return f
	}
	return math.Nextafter(f, math.Inf(1))
}

// floatDown returns the greatest float64 that is at most x.
func floatDown(x *big.Rat) float64 {
	f, exact := x.Float64()
	if exact || new(big.Rat).SetFloat64(f).Cmp(x) <= 0 {
		return f
	}
	return math.Nextafter(f, math.Inf(-1))
}

// ratOf returns a finite float64 as the rational it is.
func ratOf(f float64) *big.Rat {
	r := new(big.Rat).SetFloat64(f)
	if r == nil {
		panic("accountant: a number that is not finite has no exact value")
	}
	return r
}

func times(x *big.Rat, n int64) *big.Rat { return new(big.Rat).Mul(x, big.NewRat(n, 1)) }
