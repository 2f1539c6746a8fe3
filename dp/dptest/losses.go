package dptest

import "math"

// lossStep is the grid on which Losses tells losses apart: 2^-40.
const lossStep = 0x1p-40

// Losses is the law of the privacy loss ln p(Y)/q(Y) for Y drawn from p: the probability of each loss,
// in multiples of 2^-40 to the nearest. It is all that any promise about p and q depends on.
type Losses map[int64]float64

// LossesOf returns the losses of p against q, laws of equal results in equal order. Results that p
// cannot give have no loss; a result that only p can give has an infinite one.
func LossesOf(p, q []float64) Losses {
	l := Losses{}
	for i := range p {
		l.Add(math.Log(p[i]), math.Log(q[i]))
	}
	return l
}

// Add enters one result by the logarithms of its probabilities. A probability too small for a float64
// still counts for Worst.
func (l Losses) Add(logp, logq float64) {
	switch {
	case math.IsInf(logp, -1):
	case math.IsInf(logq, -1):
		l[math.MaxInt64] += math.Exp(logp)
	default:
		l[int64(math.Round((logp-logq)/lossStep))] += math.Exp(logp)
	}
}

// Then returns the losses of two draws that are independent given all that is public between them.
func (l Losses) Then(o Losses) Losses {
	sum := Losses{}
	for a, p := range l {
		for b, q := range o {
			if a == math.MaxInt64 || b == math.MaxInt64 {
				sum[math.MaxInt64] += p * q
			} else {
				sum[a+b] += p * q
			}
		}
	}
	return sum
}

// Merge adds the results of o to l.
func (l Losses) Merge(o Losses) {
	for a, p := range o {
		l[a] += p
	}
}

// Worst returns the largest loss: the ε of pure privacy in this direction.
func (l Losses) Worst() float64 {
	worst := int64(math.MinInt64)
	for a := range l {
		worst = max(worst, a)
	}
	return value(worst)
}

// Divergence returns the mean loss: the Kullback–Leibler divergence, at most rho under rho-zCDP.
func (l Losses) Divergence() (sum float64) {
	for a, p := range l {
		sum += p * value(a)
	}
	return sum
}

// Renyi returns the divergence of order alpha > 1, at most alpha·rho under rho-zCDP.
func (l Losses) Renyi(alpha float64) float64 {
	sum := 0.0
	for a, p := range l {
		sum += p * math.Exp((alpha-1)*value(a))
	}
	return math.Log(sum) / (alpha - 1)
}

// Delta returns the least δ for which the laws satisfy (ε, δ): the hockey-stick divergence.
func (l Losses) Delta(epsilon float64) (delta float64) {
	for a, p := range l {
		if x := value(a); x > epsilon {
			delta -= p * math.Expm1(epsilon-x)
		}
	}
	return delta
}

// Epsilon returns the least ε ≥ 0 for which the laws satisfy (ε, δ).
func (l Losses) Epsilon(delta float64) float64 {
	low, high := 0.0, max(0, l.Worst())
	if l.Delta(low) <= delta {
		return low
	}
	for range 100 {
		if middle := (low + high) / 2; l.Delta(middle) <= delta {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

func value(a int64) float64 {
	if a == math.MaxInt64 {
		return math.Inf(1)
	}
	return float64(a) * lossStep
}
