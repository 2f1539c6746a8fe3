package dptest

import (
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestPreciseFunctions: in the precision of laws and of the accountant's bounds, against known digits
// and, in fewer bits, against more.
func TestPreciseFunctions(t *testing.T) {
	for _, b := range []Bits{Law, 1500} {
		for _, c := range []struct {
			got  *big.Float
			want string
		}{
			{b.Exp(b.Of(1)), "2.7182818284590452353602874713526624977572"},
			{b.Exp(b.Of(-20)), "2.0611536224385578279659403801558209763758e-09"},
			{b.Exp(b.Of(0)), "1"},
			{b.Log(b.Of(10)), "2.3025850929940456840179914546843642076011"},
			{b.Log(b.Of(1e-9)), "-20.723265836946411156161923092159277868410"},
			{b.Pi(), "3.1415926535897932384626433832795028841972"},
			{b.Normal(b.Of(0)), "0.50000000000000000000000000000000000000000"},
			{b.Normal(b.Of(-1)), "0.15865525393145705141476745436796207752209"},
			{b.Normal(b.Of(-20)), "2.7536241186062336950756227808574543328974e-89"},
		} {
			want, _, err := big.ParseFloat(c.want, 10, uint(b), big.ToNearestEven)
			must.Do(t, err)
			off := b.Quo(b.Sub(c.got, want), want)
			must.Hold(t, off.Abs(off).Cmp(b.Of(1e-15)) <= 0 || want.Cmp(b.Of(1e-60)) <= 0, "%d bits: %s, want %s", b, c.got.Text('g', 40), c.want)
		}
	}
	for _, x := range []float64{-60, -3.25, -1e-9, .3, 1, 7.5} {
		for name, f := range map[string]func(b Bits, x *big.Float) *big.Float{
			"exp":    Bits.Exp,
			"log":    func(b Bits, x *big.Float) *big.Float { return b.Log(b.Exp(x)) },
			"normal": func(b Bits, x *big.Float) *big.Float { return b.Normal(b.Quo(x, b.Of(10))) },
		} {
			got, want := f(Law, Law.Of(x)), f(1500, Bits(1500).Of(x))
			off := Law.Sub(got, want)
			must.Hold(t, off.Sign() == 0 || off.MantExp(nil) <= max(0, want.MantExp(nil))-int(Law)+8, "%s at %g is off by %s", name, x, off.Text('g', 3))
		}
	}
}
