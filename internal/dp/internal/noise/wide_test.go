package noise

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func (a wide) big() *big.Int {
	n := new(big.Int)
	for i := 3; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(a[i]))
	}
	return n
}

// TestWide compares the arithmetic with math/big on random numbers of all lengths.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	modulus := new(big.Int).Lsh(big.NewInt(1), 256)
	random := func() (w wide) {
		for i := range r.IntN(5) {
			w[i] = r.Uint64() >> r.IntN(64)
		}
		return w
	}
	for range 20_000 {
		a, b, k := random(), random(), r.Uint64()
		if r.IntN(10) == 0 {
			b = a
		}
		want := new(big.Int).Sub(a.big(), b.big())
		got := a.sub(b).big()
		must.Need(t, got.Cmp(want.Mod(want, modulus)) == 0, "%v − %v = %v", a, b, got)
		if got, want := a.less(b), a.big().Cmp(b.big()) < 0; got != want {
			t.Fatalf("%v < %v: %v", a, b, got)
		}
		want.Mul(a.big(), new(big.Int).SetUint64(k))
		if got := a.times(k).big(); got.Cmp(want.Mod(want, modulus)) != 0 {
			t.Fatalf("%v·%d = %v", a, k, got)
		}
		low := wide{a[0], a[1]}
		if got := square(a[1], a[0]).big(); got.Cmp(want.Mul(low.big(), low.big())) != 0 {
			t.Fatalf("%v² = %v", low, got)
		}
		if got := wideFromBig(a.big()); got != a {
			t.Fatalf("%v from big = %v", a, got)
		}
		if a.big().BitLen() > 0 && a.topWord() != (a.big().BitLen()-1)/64 {
			t.Fatalf("top word of %v = %d", a, a.topWord())
		}
	}
}

// TestScaled compares rounding with rationals, halves included.
func TestScaled(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		hi, lo, d := r.Uint64()>>(34+r.IntN(30)), r.Uint64()>>r.IntN(64), r.Uint64()>>(1+r.IntN(62))+1
		if r.IntN(3) == 0 {
			odd := r.Uint64()>>36 | 1
			hi, lo, d = 0, odd*(2*uint64(r.IntN(1000))+1), odd<<33 // exactly half
		}
		got := scaled(hi, lo, d)
		want := wide{lo, hi}.big()
		want.Lsh(want, 33).Add(want, new(big.Int).SetUint64(d))
		want.Quo(want, new(big.Int).Lsh(new(big.Int).SetUint64(d), 1))
		must.Need(t, (wide{got.Lo, uint64(got.Hi)}).big().Cmp(want) == 0, "2^32·(%d, %d)/%d = %v, want %v", hi, lo, d, got, want)
	}
}
