package dptest

import (
	"fmt"
	"math/big"
	"slices"
)

// Mass is the probability of a result, above 0, in the precision Law: with its logarithm and its inverse.
type Mass struct{ P, Inverse, Log *big.Float }

// MassOf returns a probability whose logarithm is not known.
func MassOf(p *big.Float) Mass { return Mass{p, Law.Quo(Law.Of(1), p), Law.Log(p)} }

// MassOfLog returns exp(log).
func MassOfLog(log *big.Float) Mass {
	p := Law.Exp(log)
	return Mass{p, Law.Quo(Law.Of(1), p), log}
}

// Sure is probability 1.
func Sure() Mass { return Mass{Law.Of(1), Law.Of(1), Law.Of(0)} }

// And returns the probability of both of two results that are independent given all that is public between them.
func (m Mass) And(o Mass) Mass {
	return Mass{Law.Mul(m.P, o.P), Law.Mul(m.Inverse, o.Inverse), Law.Add(m.Log, o.Log)}
}

// Orders lists the orders of the Rényi divergences that Losses sums; order 1 is Divergence.
var Orders = [...]float64{2, 4, 8, 16}

// Losses sums up the privacy loss ln p(Y)/q(Y) of a law p against a law q, result by result: its largest value,
// its mean, its moments, and the hockey-stick divergence at given ε. All that any promise about p and q says is
// a statement about these.
type Losses struct {
	epsilons []*big.Float // increasing
	guess    []float64
	factors  []*big.Float // exp(ε)

	worst, mean *big.Float
	total       weights
	moments     [len(Orders)]*big.Float
	above       []weights // of the results whose loss is above exactly the first k of the ε
	parted      []weights // by ε: of the parts that are above it, of results followed by noise

	difference, sum, product, power, square, term, low, high big.Float // scratch
}

// weights are sums of the probabilities of one set under p and under q.
type weights struct{ p, q *big.Float }

func none() weights { return weights{Law.Of(0), Law.Of(0)} }

// NewLosses returns the losses of no results yet. The ε are increasing.
func NewLosses(epsilons []float64) *Losses {
	l := &Losses{guess: epsilons, mean: Law.Of(0), total: none(), above: []weights{none()}}
	for i := range l.moments {
		l.moments[i] = Law.Of(0)
	}
	for _, e := range epsilons {
		l.epsilons = append(l.epsilons, Law.Of(e))
		l.factors = append(l.factors, Law.Exp(Law.Of(e)))
		l.above, l.parted = append(l.above, none()), append(l.parted, none())
	}
	for _, x := range []*big.Float{&l.difference, &l.sum, &l.product, &l.power, &l.square, &l.term, &l.low, &l.high} {
		x.SetPrec(uint(Law))
	}
	return l
}

// Add enters a result by its probabilities under p and q.
func (l *Losses) Add(p, q Mass) { l.AddThen(p, q, nil) }

// AddThen enters a result that is followed by independent noise, moved between p and q; nil is none.
func (l *Losses) AddThen(p, q Mass, n *Noise) {
	if n == nil {
		n = noNoise
	}
	loss := l.difference.Sub(p.Log, q.Log)
	l.total.p.Add(l.total.p, p.P)
	l.total.q.Add(l.total.q, q.P)
	l.mean.Add(l.mean, l.product.Mul(p.P, l.sum.Add(loss, n.mean)))
	l.addMoments(p, q, n)
	most, least := n.limits()
	highest, lowest := l.high.Add(loss, most), l.low.Add(loss, least)
	if l.worst == nil || highest.Cmp(l.worst) > 0 {
		l.worst = Law.zero().Set(highest)
	}
	k := l.count(lowest)
	l.above[k].add(p.P, q.P)
	for ; k < len(l.epsilons) && l.epsilons[k].Cmp(highest) < 0; k++ {
		part := n.above(l.product.Sub(l.epsilons[k], loss))
		l.parted[k].p.Add(l.parted[k].p, l.power.Mul(p.P, part.p))
		l.parted[k].q.Add(l.parted[k].q, l.power.Mul(q.P, part.q))
	}
}

func (w weights) add(p, q *big.Float) {
	w.p.Add(w.p, p)
	w.q.Add(w.q, q)
}

// addMoments adds p·(p/q)^(α−1) for each order, a power of 2, with the noise's own factor.
func (l *Losses) addMoments(p, q Mass, n *Noise) {
	power, square := l.power.Mul(p.P, q.Inverse), &l.square // (p/q)^(α/2)
	term, next := l.term.Mul(p.P, power), &l.sum            // p·(p/q)^(α−1), α = 2
	for i, m := range l.moments {
		if n == noNoise {
			m.Add(m, term)
		} else {
			m.Add(m, l.product.Mul(term, n.moments[i]))
		}
		if i+1 < len(Orders) {
			power, square = square.Mul(power, power), power
			term, next = next.Mul(term, power), term
		}
	}
}

// count returns how many of the ε are below x.
func (l *Losses) count(x *big.Float) int {
	f, _ := x.Float64()
	k, _ := slices.BinarySearch(l.guess, f)
	for k < len(l.epsilons) && l.epsilons[k].Cmp(x) < 0 {
		k++
	}
	for k > 0 && l.epsilons[k-1].Cmp(x) >= 0 {
		k--
	}
	return k
}

// Total returns the sums of both laws: 1.
func (l *Losses) Total() (p, q *big.Float) { return l.total.p, l.total.q }

// Worst returns the largest loss: the ε of pure privacy in this direction.
func (l *Losses) Worst() *big.Float { return l.worst }

// Divergence returns the mean loss: the Kullback–Leibler divergence, at most rho under rho-zCDP.
func (l *Losses) Divergence() *big.Float { return l.mean }

// Renyi returns the divergence of order Orders[i], at most Orders[i]·rho under rho-zCDP.
func (l *Losses) Renyi(i int) *big.Float {
	return Law.Quo(Law.Log(l.moments[i]), Law.Of(Orders[i]-1))
}

// Delta returns the least δ for which the laws satisfy (ε, δ) at the k-th ε: the hockey-stick divergence.
func (l *Losses) Delta(k int) *big.Float {
	p, q := Law.zero().Set(l.parted[k].p), Law.zero().Set(l.parted[k].q)
	for _, w := range l.above[k+1:] {
		p.Add(p, w.p)
		q.Add(q, w.q)
	}
	return p.Sub(p, q.Mul(q, l.factors[k]))
}

// slackBits: comparisons in the precision Law allow for a rounding of 2^-120 < 1e-36 of the claim, far more than
// there is and far less than the charges' own rounding, 2^-80.
const slackBits = 120

// Used is the largest part of a claim that anything compared with it has used.
type Used struct{ part *big.Float }

// Of compares a measured figure with its claim, above 0.
func (u *Used) Of(measured, claim *big.Float) { u.Join(Used{Law.Quo(measured, claim)}) }

// Join takes over a larger part.
func (u *Used) Join(o Used) {
	if u.part == nil || o.part != nil && o.part.Cmp(u.part) > 0 {
		u.part = o.part
	}
}

// Exceeds reports whether more than the claim was used.
func (u Used) Exceeds() bool {
	if u.part == nil {
		return false
	}
	most := Law.zero().SetMantExp(Law.Of(1), -slackBits)
	return u.part.Cmp(most.Add(most, Law.Of(1))) > 0
}

// Float64 returns the part.
func (u Used) Float64() float64 {
	if u.part == nil {
		return 0
	}
	f, _ := u.part.Float64()
	return f
}

// String writes the part with two decimals, or near 1 what it is off by.
func (u Used) String() string {
	f := u.Float64()
	if f < .995 {
		return fmt.Sprintf("%.2f", f)
	}
	lack := Law.Sub(Law.Of(1), u.part)
	if lack.Sign() == 0 || lack.MantExp(nil) < -slackBits {
		return "1"
	}
	sign := "−"
	if lack.Sign() < 0 {
		sign = "+"
	}
	return "1" + sign + lack.Abs(lack).Text('g', 2)
}
