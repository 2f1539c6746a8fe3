package dptest

import (
	"maps"
	"math/big"
	"slices"
)

// NoiseLaw is the law of integer noise, by its formula: discrete Gaussian or discrete Laplace.
type NoiseLaw struct {
	gaussian bool
	scale    *big.Float   // σ², or the scale b
	reach    int64        // beyond it lies less than 2^-200 of a Gaussian
	weights  []*big.Float // P(0) … P(reach) of a Gaussian
	first    Mass         // P(0)
	rate     *big.Float   // −1/(2σ²), −1/b
}

// tailBits: sums over the discrete Gaussian leave out less than 2^-200.
const tailBits = 200

// DiscreteGaussian returns P(y) ∝ exp(−y²/(2σ²)).
func DiscreteGaussian(variance *big.Rat) *NoiseLaw {
	n := &NoiseLaw{gaussian: true, scale: Law.Rat(variance)}
	n.rate = Law.Quo(Law.Of(-.5), n.scale)
	sum := Law.Of(0)
	for y := int64(0); ; y++ {
		w := Law.Exp(Law.Mul(n.rate, integerOf(y*y)))
		if w.MantExp(nil) < -tailBits-40 { // terms fall faster than the geometric law's
			break
		}
		n.weights = append(n.weights, w)
		sum.Add(sum, w)
		if y > 0 {
			sum.Add(sum, w)
		}
	}
	n.reach = int64(len(n.weights)) - 1
	for _, w := range n.weights {
		w.Quo(w, sum)
	}
	n.first = MassOf(n.weights[0])
	return n
}

// DiscreteLaplace returns P(y) ∝ exp(−|y|/b), that is (1−a)/(1+a)·a^|y| with a = exp(−1/b).
func DiscreteLaplace(scale *big.Rat) *NoiseLaw {
	n := &NoiseLaw{scale: Law.Rat(scale)}
	n.rate = Law.Quo(Law.Of(-1), n.scale)
	a := Law.Exp(n.rate)
	n.first = MassOf(Law.Quo(Law.Sub(Law.Of(1), a), Law.Add(Law.Of(1), a)))
	return n
}

func integerOf(y int64) *big.Float { return Law.zero().SetInt64(y) }

// units returns −ln P(y)/P(0) in the law's unit: y² of 1/(2σ²), |y| of 1/b.
func (n *NoiseLaw) units(y int64) int64 {
	if n.gaussian {
		return y * y
	}
	return max(y, -y)
}

// At returns P(y).
func (n *NoiseLaw) At(y int64) Mass {
	return n.first.And(MassOfLog(Law.Mul(n.rate, integerOf(n.units(y)))))
}

// Reach returns a distance beyond which less than 2^-200 of a Gaussian lies, and 2^-bits of a Laplace law.
func (n *NoiseLaw) Reach(bits float64) int64 {
	if n.gaussian {
		return n.reach
	}
	reach, _ := Law.Mul(n.scale, Law.Of(bits)).Int64()
	return reach
}

// From returns P(Y ≥ y).
func (n *NoiseLaw) From(y int64) *big.Float {
	if y <= 0 {
		return Law.Sub(Law.Of(1), n.From(1-y))
	}
	if !n.gaussian { // a^y/(1+a)
		return Law.Quo(Law.Exp(Law.Mul(n.rate, integerOf(y))), Law.Add(Law.Of(1), Law.Exp(n.rate)))
	}
	sum := Law.Of(0)
	for z := n.reach; z >= y; z-- {
		sum.Add(sum, n.weights[z])
	}
	return sum
}

// Noise is the law of the loss of independent noise against the same noise, moved.
type Noise struct {
	atoms   []atom    // of decreasing loss
	sums    []weights // of the first k
	mean    *big.Float
	moments [len(Orders)]*big.Float
	mu      *big.Float // of a normal law, which has no atoms
}

// MovedNormal returns the loss of a normal release against one moved by mu standard deviations, mu² > 0: itself normal,
// of mean mu²/2 and variance mu².
func MovedNormal(mu2 *big.Rat) *Noise {
	n := &Noise{mean: Law.Quo(Law.Rat(mu2), Law.Of(2))}
	n.mu = Law.zero().Sqrt(Law.Rat(mu2))
	for i, alpha := range Orders { // exp(α(α−1)·mu²/2)
		n.moments[i] = Law.Exp(Law.Mul(n.mean, Law.Of(alpha*(alpha-1))))
	}
	return n
}

// limits returns the largest and the least loss.
func (n *Noise) limits() (highest, lowest *big.Float) {
	if n.mu != nil {
		return new(big.Float).SetInf(false), new(big.Float).SetInf(true)
	}
	return n.atoms[0].loss, n.atoms[len(n.atoms)-1].loss
}

// noNoise is a loss of 0.
var noNoise = newNoise([]atom{{Law.Of(0), weights{Law.Of(1), Law.Of(1)}}})

// atom is a loss, with its probabilities under both laws.
type atom struct {
	loss *big.Float
	weights
}

// Moved returns the losses of independent draws of n against the same draws moved by the given steps.
func (n *NoiseLaw) Moved(steps ...int64) *Noise {
	all := map[int64]weights{0: {Law.Of(1), Law.Of(1)}} // by the loss in units, an integer
	for _, s := range steps {
		next := map[int64]weights{}
		for b, y := range n.moved(s) {
			for a, x := range all {
				if _, ok := next[a+b]; !ok {
					next[a+b] = none()
				}
				next[a+b].add(Law.Mul(x.p, y.p), Law.Mul(x.q, y.q))
			}
		}
		all = next
	}
	var atoms []atom
	for _, u := range slices.Sorted(maps.Keys(all)) {
		atoms = append(atoms, atom{Law.Mul(integerOf(-u), n.rate), all[u]})
	}
	return newNoise(atoms)
}

// moved returns the losses of one draw, in units.
func (n *NoiseLaw) moved(s int64) map[int64]weights {
	all := map[int64]weights{}
	enter := func(y int64, p, q *big.Float) {
		u := n.units(y-s) - n.units(y)
		if _, ok := all[u]; !ok {
			all[u] = none()
		}
		all[u].add(p, q)
	}
	if s == 0 {
		enter(0, Law.Of(1), Law.Of(1))
		return all
	}
	far := max(s, -s)
	if n.gaussian {
		far = far*int64(Orders[len(Orders)-1]) + n.reach // about where p^α·q^(1−α) lies
	}
	for y := -far; y <= far; y++ {
		enter(y, n.At(y).P, n.At(y-s).P)
	}
	if !n.gaussian { // beyond both, the loss no longer changes
		enter(far, n.From(far+1), n.From(far+1-s))
		enter(-far, n.From(far+1), n.From(far+1+s))
	}
	return all
}

// And returns the losses of both of two independent noises.
func (n *Noise) And(o *Noise) *Noise {
	var atoms []atom
	for _, a := range n.atoms {
		for _, b := range o.atoms {
			atoms = append(atoms, atom{Law.Add(a.loss, b.loss), weights{Law.Mul(a.p, b.p), Law.Mul(a.q, b.q)}})
		}
	}
	return newNoise(atoms)
}

func newNoise(atoms []atom) *Noise {
	slices.SortFunc(atoms, func(a, b atom) int { return b.loss.Cmp(a.loss) })
	n := &Noise{atoms: atoms, mean: Law.Of(0), sums: []weights{none()}}
	for i := range n.moments {
		n.moments[i] = Law.Of(0)
	}
	sum := none()
	for _, a := range atoms {
		sum.add(a.p, a.q)
		n.sums = append(n.sums, weights{Law.Add(sum.p, Law.Of(0)), Law.Add(sum.q, Law.Of(0))})
		n.mean.Add(n.mean, Law.Mul(a.p, a.loss))
		power := Law.Quo(a.p, a.q)
		term := Law.Mul(a.p, power)
		for _, m := range n.moments {
			m.Add(m, term)
			power = Law.Mul(power, power)
			term = Law.Mul(term, power)
		}
	}
	return n
}

// above returns the probabilities of a loss above x.
func (n *Noise) above(x *big.Float) weights {
	if n.mu != nil {
		half, at := Law.Quo(n.mu, Law.Of(2)), Law.Quo(x, n.mu)
		return weights{clampedNormal(Law.Sub(half, at)), clampedNormal(half.Neg(half.Add(half, at)))}
	}
	k, _ := slices.BinarySearchFunc(n.atoms, x, func(a atom, x *big.Float) int {
		if a.loss.Cmp(x) > 0 {
			return -1
		}
		return 1
	})
	return n.sums[k]
}

// clampedNormal is Φ, and 0 or 1 beyond 25, where it differs by less than 2^-450.
func clampedNormal(x *big.Float) *big.Float {
	switch f, _ := x.Float64(); {
	case f < -25:
		return Law.Of(0)
	case f > 25:
		return Law.Of(1)
	}
	return Law.Normal(x)
}
