package noise

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Gaussian draws y ∈ Z with P(y) ∝ exp(−y²/(2σ²)). It is a value without state, made once for many
// draws; a draw allocates nothing. Its variance parameter σ² is in squared grid steps.
type Gaussian struct {
	laplace    Laplace // of scale t = ⌊σ⌋ + 1
	tq         uint64
	pHi, pLo   uint64 // p, where σ² = p/q
	twoPQTT    wide   // 2·p·q·t²
	parameters string // σ² as a fraction
}

// gaussianBits bounds q·t²: then 2·p·q·t² ≤ 2^191, and |y|·t·q and p stay below 2^127.
const gaussianBits = 95

// NewGaussian returns the discrete Gaussian law with σ² = variance = p/q in lowest terms, in squared
// grid steps. It fails unless the variance is above 0 and, with t = ⌊σ⌋ + 1, q·t² is below 2^95 and
// q·t below 2^64: σ up to 2^47 for whole variances, σ up to 2^32 for denominators up to 2^31.
func NewGaussian(variance *big.Rat) (Gaussian, error) {
	if variance.Sign() <= 0 {
		return Gaussian{}, fmt.Errorf("noise: discrete Gaussian variance %s: want above 0", variance.RatString())
	}
	p, q := variance.Num(), variance.Denom()
	t := new(big.Int).Quo(p, q)
	t.Sqrt(t).Add(t, big.NewInt(1))
	tq := new(big.Int).Mul(t, q)
	qtt := new(big.Int).Mul(tq, t)
	if qtt.BitLen() > gaussianBits || !tq.IsUint64() {
		return Gaussian{}, fmt.Errorf("noise: discrete Gaussian variance %s: too large or too finely divided",
			variance.RatString())
	}
	den := new(big.Int).Mul(p, qtt)
	pw := wideFromBig(p)
	return Gaussian{
		laplace: Laplace{s: 1, t: t.Uint64()}, tq: tq.Uint64(), pHi: pw[1], pLo: pw[0],
		twoPQTT: wideFromBig(den.Lsh(den, 1)), parameters: variance.RatString(),
	}, nil
}

// String returns the variance parameter as a fraction: it is public.
func (g Gaussian) String() string { return "discrete Gaussian, σ² = " + g.parameters }

// Draw returns y ∈ Z with P(y) ∝ exp(−y²/(2σ²)).
//
// Guarantee: exact law given an exact source, up to the event |y| ≥ 2^63, which is rejected and has
// probability below exp(−2^15). About 0.3 µs; the number of trials varies.
// Source: Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Algorithm 3.
func (g *Gaussian) Draw(src Source) int64 {
	for {
		if y, ok := g.Trial(src); ok {
			return y
		}
	}
}

// Trial makes one attempt of Draw: a discrete Laplace trial of scale t, accepted with probability
// exp(−(|y|·t·q − p)²/(2·p·q·t²)). Given that it succeeds, y has Draw's law.
func (g *Gaussian) Trial(src Source) (y int64, ok bool) {
	if y, ok = g.laplace.Trial(src); !ok {
		return 0, false
	}
	magnitude := uint64(y)
	if y < 0 {
		magnitude = -magnitude
	}
	hi, lo := bits.Mul64(magnitude, g.tq)
	lo, borrow := bits.Sub64(lo, g.pLo, 0)
	hi, borrow = bits.Sub64(hi, g.pHi, borrow)
	if borrow != 0 { // take the absolute value
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return y, src.BernExpWide(square(hi, lo), g.twoPQTT)
}
