package dptest

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestLosses checks every reading of the losses of two coins by hand, alone and followed by noise.
func TestLosses(t *testing.T) {
	coin := func(p float64) []Mass { return []Mass{MassOf(Law.Of(p)), MassOf(Law.Of(1 - p))} }
	p, q := coin(.75), coin(.25)
	once, twice := NewLosses([]float64{0, math.Ln2, 1}), NewLosses([]float64{0, 2})
	for i := range p {
		once.Add(p[i], q[i])
		for j := range p {
			twice.Add(p[i].And(p[j]), q[i].And(q[j]))
		}
	}
	ln3 := math.Log(3)
	for name, c := range map[string]struct {
		got  *big.Float
		want float64
	}{
		"worst":      {once.Worst(), ln3},
		"divergence": {once.Divergence(), .5 * ln3},
		"order 2":    {once.Renyi(0), math.Log(.75*3 + .25/3)},
		"order 4":    {once.Renyi(1), math.Log(.75*27+.25/27) / 3},
		"delta at 0": {once.Delta(0), .5},
		"delta":      {once.Delta(1), .75 - 2*.25},
		"two draws":  {twice.Worst(), 2 * ln3},
		"both":       {twice.Delta(1), .5625 - math.Exp(2)*.0625},
		"twice mean": {twice.Divergence(), ln3},
	} {
		got, _ := c.got.Float64()
		must.Hold(t, math.Abs(got-c.want) <= 1e-15, "%s: %.17g, want %.17g", name, got, c.want)
	}
}

// TestMovedNoise enters the results of two draws of noise one by one, and by their losses together: in 100 digits
// the same, and the total is 1. The divergence of order α of Gaussian noise is α·s²/(2σ²) for whole αs; the loss
// of Laplace noise is at most s/b.
func TestMovedNoise(t *testing.T) {
	variance, scale := big.NewRat(9, 4), big.NewRat(5, 3)
	epsilons := []float64{0, .3, 1, 2.5}
	for name, n := range map[string]*NoiseLaw{"Gaussian": DiscreteGaussian(variance), "Laplace": DiscreteLaplace(scale)} {
		together, single, apart := NewLosses(epsilons), NewLosses(epsilons), NewLosses(epsilons)
		together.AddThen(Sure(), Sure(), n.Moved(1, -2))
		single.AddThen(Sure(), Sure(), n.Moved(1).And(n.Moved(-2)))
		second, reach := n.Moved(-2), n.Reach(200)+32
		for y := -reach; y <= reach; y++ {
			apart.AddThen(n.At(y), n.At(y-1), second)
		}
		for what, figure := range map[string]func(*Losses) *big.Float{
			"total": func(l *Losses) *big.Float { p, _ := l.Total(); return p }, "divergence": (*Losses).Divergence,
			"order 2": func(l *Losses) *big.Float { return l.Renyi(0) }, "order 16": func(l *Losses) *big.Float { return l.Renyi(3) },
			"δ(0)": func(l *Losses) *big.Float { return l.Delta(0) }, "δ(1)": func(l *Losses) *big.Float { return l.Delta(2) },
			"δ(2.5)": func(l *Losses) *big.Float { return l.Delta(3) },
		} {
			want := figure(together)
			for _, l := range []*Losses{single, apart} {
				off := Law.Sub(figure(l), want)
				must.Hold(t, off.Sign() == 0 || off.MantExp(nil) <= -150, "%s, %s: %s off by %s", name, what, want.Text('g', 10), off.Text('g', 3))
			}
		}
		exact := func(got *big.Float, want *big.Rat) {
			t.Helper()
			off := Law.Sub(got, Law.Rat(want))
			must.Hold(t, off.Sign() == 0 || off.MantExp(nil) <= -150, "%s: %s, want %v", name, got.Text('g', 20), want)
		}
		if name == "Gaussian" {
			exact(together.Divergence(), big.NewRat(5*4, 2*9))
			exact(together.Renyi(0), big.NewRat(2*5*4, 2*9))
			exact(together.Renyi(3), big.NewRat(16*5*4, 2*9))
		} else {
			exact(together.Worst(), big.NewRat(3*3, 5))
		}
		sum := Law.Of(0)
		for y := int64(-3); y <= 7; y++ {
			sum.Add(sum, n.At(y).P)
		}
		off := Law.Sub(Law.Sub(n.From(-3), n.From(8)), sum)
		must.Hold(t, off.Sign() == 0 || off.MantExp(nil) <= -190, "%s: P(−3 … 7) is off by %s", name, off.Text('g', 3))
	}
}

// TestMovedNormal: a normal loss has the δ of Φ(mu/2 − ε/mu) − exp(ε)·Φ(−mu/2 − ε/mu), and so does the loss of fine discrete noise.
func TestMovedNormal(t *testing.T) {
	l, fine := NewLosses([]float64{.5}), NewLosses([]float64{.5})
	l.AddThen(Sure(), Sure(), MovedNormal(big.NewRat(4, 9)))
	fine.AddThen(Sure(), Sure(), DiscreteGaussian(big.NewRat(90*90, 1)).Moved(60))
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	want := phi(1./3-.75) - math.Exp(.5)*phi(-1./3-.75)
	got, _ := l.Delta(0).Float64()
	near, _ := fine.Delta(0).Float64()
	must.Hold(t, math.Abs(got-want) <= 1e-15 && math.Abs(got-near) <= 1e-4, "δ(1/2) = %.17g, want %.17g; discrete %g", got, want, near)
	for name, d := range map[string]*big.Float{"divergence": l.Divergence(), "order 2": Law.Quo(l.Renyi(0), Law.Of(2)), "order 16": Law.Quo(l.Renyi(3), Law.Of(16))} {
		off := Law.Sub(d, Law.Rat(big.NewRat(2, 9)))
		must.Hold(t, off.Sign() == 0 || off.MantExp(nil) <= -200, "%s: %s, want 2/9 of the order", name, d.Text('g', 20))
	}
}

// TestUsed: a claim that is met exactly is not exceeded; one that is 1e-30 too small is.
func TestUsed(t *testing.T) {
	claim := Law.Rat(big.NewRat(1, 3))
	var exact, above Used
	exact.Of(claim, claim)
	above.Of(claim, Law.Mul(claim, Law.Rat(new(big.Rat).Sub(big.NewRat(1, 1), tiny))))
	must.Hold(t, !exact.Exceeds() && above.Exceeds() && exact.String() == "1", "exact %v: %t, above: %t", exact, exact.Exceeds(), above.Exceeds())
	exact.Join(above)
	must.Hold(t, exact.Exceeds(), "the larger part was not kept")
}

var tiny, _ = new(big.Rat).SetString("1e-30")
