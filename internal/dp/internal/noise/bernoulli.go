package noise

import "math/bits"

// coins is what a coin of probability exp(−p/q) is made of: coins of probability p/q.
type coins interface {
	Bernoulli(p, q uint64) bool
	BernoulliWide(p, q [4]uint64) bool
}

// bernExp1 returns true with probability exp(−p/q).
//
// Precondition (caller): p ≤ q, q above 0.
// Guarantee: exact law; K follows P(K > k) = (p/q)^k/k!, and is odd with probability exp(−p/q).
// Source: Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Algorithm 1 (first case).
func bernExp1(c coins, p, q uint64) bool {
	for k := uint64(1); ; k++ {
		hi, lo := bits.Mul64(q, k)
		goOn := false
		if hi == 0 {
			goOn = c.Bernoulli(p, lo)
		} else {
			goOn = c.BernoulliWide([4]uint64{p}, [4]uint64{lo, hi})
		}
		if !goOn {
			return k&1 == 1
		}
	}
}

// bernExp returns true with probability exp(−p/q), for any p. It splits off factors exp(−1), so that
// it takes a bounded expected number of coins however large p/q is.
//
// Source: Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Algorithm 1 (second case).
func bernExp(c coins, p, q uint64) bool {
	if q == 0 {
		panic("noise: exp of a fraction with denominator 0")
	}
	for p > q {
		if !bernExp1(c, 1, 1) {
			return false
		}
		p -= q
	}
	return bernExp1(c, p, q)
}

// bernExpWide is bernExp for 256-bit numbers.
//
// Precondition (caller): 1 ≤ q ≤ 2^192, so that q·k is exact for every k that can occur.
func bernExpWide(c coins, p, q wide) bool {
	if q == (wide{}) {
		panic("noise: exp of a fraction with denominator 0")
	}
	for q.less(p) {
		if !bernExp1(c, 1, 1) {
			return false
		}
		p = p.sub(q)
	}
	if q.fits() {
		return bernExp1(c, p[0], q[0])
	}
	for k := uint64(1); ; k++ {
		if !c.BernoulliWide(p, q.times(k)) {
			return k&1 == 1
		}
	}
}
