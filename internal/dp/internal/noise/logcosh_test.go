package noise

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// expTail returns log1p(exp(−x)) to about 100 bits, for x ≥ 0: exp by squaring of a Taylor series, the
// logarithm by log1p(y) = 2·artanh(y/(2+y)).
func expTail(x *big.Float) *big.Float {
	const prec = 160
	one := big.NewFloat(1).SetPrec(prec)
	z := new(big.Float).SetPrec(prec).Quo(x, new(big.Float).SetMantExp(one, 20))
	z.Neg(z)
	e, term := new(big.Float).SetPrec(prec).Set(one), new(big.Float).SetPrec(prec).Set(one)
	for k := int64(1); k < 60; k++ {
		term.Mul(term, z).Quo(term, new(big.Float).SetInt64(k))
		e.Add(e, term)
	}
	for range 20 {
		e.Mul(e, e)
	}
	u := new(big.Float).SetPrec(prec).Add(e, new(big.Float).SetInt64(2))
	u.Quo(e, u)
	square := new(big.Float).SetPrec(prec).Mul(u, u)
	sum := new(big.Float).SetPrec(prec)
	for k := int64(1); k < 160; k += 2 {
		sum.Add(sum, new(big.Float).SetPrec(prec).Quo(u, new(big.Float).SetInt64(k)))
		u.Mul(u, square)
	}
	return sum.Mul(sum, new(big.Float).SetInt64(2))
}

// TestTailSum compares the float64 part of BlockScore with 160-bit arithmetic: the bound of the charge
// is 2^−32 for the largest marginals.
func TestTailSum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const scale = 1<<26 + 12345
	for _, cells := range []int{1, 10, 3000} {
		tail := summation.Compensated{}
		want := new(big.Float).SetPrec(160)
		for range cells {
			e := int64(math.Abs(r.NormFloat64()) * scale * math.Exp(3*r.NormFloat64()))
			tail.Add(math.Log1p(math.Exp(-2 * float64(e) / scale)))
			x := new(big.Float).SetPrec(160).SetInt64(2 * e)
			want.Add(want, expTail(x.Quo(x, big.NewFloat(scale))))
		}
		diff, _ := want.Sub(want, big.NewFloat(tail.Sum())).Float64()
		// 5e-16 per cell is derived, and 1e5 cells are allowed 2^−32: 4.6 times that.
		must.Hold(t, math.Abs(diff) <= 5e-16*float64(cells), "%d cells: off by %g", cells, diff)
	}
}

// TestTailSumOfTheLargestMarginal: 100,000 equal terms, whose rounding errors all have one sign in a plain
// sum, stay within the 2^−32 that is charged.
func TestTailSumOfTheLargestMarginal(t *testing.T) {
	tail := summation.Compensated{}
	for range MaxBlockCells {
		tail.Add(math.Log1p(1))
	}
	want := expTail(new(big.Float).SetPrec(160))
	want.Mul(want, new(big.Float).SetInt64(MaxBlockCells))
	diff, _ := want.Sub(want, big.NewFloat(tail.Sum())).Float64()
	must.Hold(t, math.Abs(diff) <= 0x1p-32, "off by %g", diff)
}

// TestBlockScore compares whole scores with Σ ln cosh in float64 where that is good enough, and where
// errors leave int64 with the exact first sum.
func TestBlockScore(t *testing.T) {
	errors := []int64{0, 3 << 20, -5 << 20, 1, -(1 << 30), 77}
	const scale = 7 << 20
	want := 0.0
	for _, e := range errors {
		x := math.Abs(float64(e)) / scale
		want += x + math.Log1p(math.Exp(-2*x)) - math.Ln2
	}
	s := BlockScore(errors, scale)
	got := float64(s.Lo) / BlockScoreScale
	must.Hold(t, s.Hi == 0 && math.Abs(got-want) <= 1e-9, "score %v = %g, want %g", s, got, want)
	huge := make([]int64, 1000)
	for i := range huge {
		huge[i] = 1 << 62 * int64(1-i%2*2)
	}
	s = BlockScore(huge, 3)
	exact := new(big.Int).Lsh(big.NewInt(1000), 62+33)
	exact.Add(exact, big.NewInt(3)).Quo(exact, big.NewInt(6))
	exact.Sub(exact, big.NewInt(int64(math.Round(1000*math.Ln2*BlockScoreScale))))
	if got := (wide{s.Lo, uint64(s.Hi)}).big(); got.Cmp(exact) != 0 {
		t.Errorf("score %v = %s, want %s", s, got, exact)
	}
}
