package mechanism

import (
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// maxLaw returns the law of laplaceMax for integer errors and noise of the given scale, in steps of the grid:
//
//	P(i) = Σ_z P(Z = z − s_i)·Π_{j<i} P(Z < z − s_j)·Π_{j>i} P(Z ≤ z − s_j)
//
// where an earlier candidate is ahead on ties. With a = exp(−1/scale), each factor is c·a^z, c·a^−z or 1 − c·a^z between
// two scores. Between scores, the sum is therefore one of geometric series.
func maxLaw(errors []int64, scale *big.Rat) law {
	var scores []int64
	for _, e := range errors {
		scores = append(scores, e, -e)
	}
	m := newMaximum(scores, scale)
	all := make(law, len(scores))
	for i := range scores {
		all[i] = dptest.MassOf(m.wins(i))
	}
	return all
}

// maximum is the largest of several scores, each with noise.
type maximum struct {
	scores []int64
	edges  []int64      // the scores in order, each once
	a      *big.Float   // exp(−1/scale)
	powers []*big.Float // a^score
	invert []*big.Float // a^−edge
	half   *big.Float   // 1/(1+a)
}

func newMaximum(scores []int64, scale *big.Rat) *maximum {
	m := &maximum{scores: scores, edges: slices.Compact(slices.Sorted(slices.Values(scores)))}
	power := func(s int64) *big.Float {
		return high.Exp(high.Rat(new(big.Rat).Quo(big.NewRat(-s, 1), scale)))
	}
	m.a = power(1)
	m.half = high.Quo(high.Of(1), high.Add(high.Of(1), m.a))
	for _, s := range scores {
		m.powers = append(m.powers, power(s))
	}
	for _, e := range m.edges {
		m.invert = append(m.invert, power(-e))
	}
	return m
}

// wins returns the probability that candidate i is the first of the largest. Below all scores every factor is c·a^−z.
func (m *maximum) wins(i int) *big.Float {
	sum := m.between(i, -1)
	for k := range m.edges {
		sum.Add(sum, m.between(i, k))
	}
	return sum
}

// between sums over z from edge k to before the next; −1 is what is below all edges. In x = a^(z−edge) the summand is
// x^−lowest times a polynomial.
func (m *maximum) between(i, k int) *big.Float {
	base := max(k, 0)
	poly, lowest := []*big.Float{high.Of(1)}, 0
	for j, s := range m.scores {
		ahead := high.Mul(m.powers[j], m.invert[base]) // a^(s−edge)
		below := k < 0 || s > m.edges[k]
		c := high.Mul(ahead, m.half)
		if !below {
			c.Quo(m.half, ahead)
		}
		switch {
		case j == i: // P(Z = z − s) = (1 − a)/(1 + a)·a^|z−s|
			c.Mul(c, high.Sub(high.Of(1), m.a))
		case (j < i) == below: // P(Z < z − s) below s; P(Z ≤ z − s) from s on
			c.Mul(c, m.a)
		}
		switch {
		case below:
			lowest++
			scaleBy(poly, c)
		case j == i:
			lowest--
			scaleBy(poly, c)
		default: // 1 − c·x
			poly = append(poly, high.Of(0))
			for d := len(poly) - 1; d > 0; d-- {
				poly[d].Sub(poly[d], high.Mul(c, poly[d-1]))
			}
		}
	}
	sum := high.Of(0)
	for d, c := range poly {
		sum.Add(sum, high.Mul(c, m.series(d-lowest, k)))
	}
	return sum
}

func scaleBy(poly []*big.Float, c *big.Float) {
	for _, p := range poly {
		p.Mul(p, c)
	}
}

// series returns Σ x^degree over the z of between.
func (m *maximum) series(degree, k int) *big.Float {
	rate := integerPower(m.a, degree)
	if k < 0 { // z − edge = −1, −2, …; the degree is below 0
		return high.Quo(high.Of(1), high.Sub(rate, high.Of(1)))
	}
	rest := high.Sub(high.Of(1), rate)
	if k+1 == len(m.edges) {
		return rest.Quo(high.Of(1), rest)
	}
	if degree == 0 {
		return high.Of(float64(m.edges[k+1] - m.edges[k]))
	}
	ratio := high.Quo(m.invert[k], m.invert[k+1]) // a^(next − edge)
	return rest.Quo(high.Sub(high.Of(1), integerPower(ratio, degree)), rest)
}

// integerPower returns x^n for n of any sign.
func integerPower(x *big.Float, n int) *big.Float {
	power := high.Of(1)
	for range max(n, -n) {
		power.Mul(power, x)
	}
	if n < 0 {
		power.Quo(high.Of(1), power)
	}
	return power
}

// TestMaxLaw: the closed form is the sum over the noise of the winner, term by term, ties included, and sums to 1, also on
// a grid as fine as the scores'.
func TestMaxLaw(t *testing.T) {
	errors, scale := []int64{0, 2, -3, 1}, big.NewRat(3, 2)
	near := func(what string, got, want *big.Float) {
		t.Helper()
		off := high.Sub(got, want)
		must.Hold(t, off.Sign() == 0 || off.MantExp(nil) <= -190, "%s: %s, off by %s", what, got.Text('g', 20), off.Text('g', 3))
	}
	laplace := dptest.DiscreteLaplace(scale)
	scores := []int64{0, 0, 2, -2, -3, 3, 1, -1}
	for i, m := range maxLaw(errors, scale) {
		sum := high.Of(0)
		for y := -laplace.Reach(200); y <= laplace.Reach(200); y++ {
			term := laplace.At(y).P
			for j, s := range scores {
				z := scores[i] + y - s
				if j < i {
					z--
				}
				if j != i {
					term = high.Mul(term, high.Sub(high.Of(1), laplace.From(z+1)))
				}
			}
			sum.Add(sum, term)
		}
		near("candidate", m.P, sum)
	}
	for _, fine := range []int64{1, 1 << 20} {
		sum := high.Of(0)
		for _, m := range maxLaw([]int64{0, 2 * fine, -3 * fine, fine + 1}, big.NewRat(3*fine, 2)) {
			sum.Add(sum, m.P)
		}
		near("sum", sum, high.Of(1))
	}
}

// TestLaplaceMaxLoss compares the exact laws of neighbours, coarse noise with many ties: the log ratio
// is at most r = R/scale, for errors that one record changes by 1 in one or two cells.
func TestLaplaceMaxLoss(t *testing.T) {
	scale := big.NewRat(3, 2)
	grid := epsilonGrid(.1, 14)
	r := new(big.Rat).Quo(big.NewRat(2, 1), scale)
	x := high.Exp(high.Rat(r))
	tanh := high.Quo(high.Sub(x, high.Of(1)), high.Add(x, high.Of(1))) // of r/2
	rho, _ := high.Mul(high.Rat(r), tanh).Rat(nil)
	for _, n := range relations {
		var worst spent
		for _, x := range dptest.Tables(3, 3) {
			p := maxLaw(lessOne(x), scale)
			for _, y := range dptest.Neighbours(n, x) {
				worst.of(lossesOf(p, maxLaw(lessOne(y), scale), grid), r, rho, grid)
			}
		}
		worst.check(t, "noisy maximum, "+n.String(), .5)
	}
}

// lessOne subtracts a model of one unit in each cell.
func lessOne(counts []int64) []int64 {
	errors := make([]int64, len(counts))
	for i, c := range counts {
		errors[i] = c - 1
	}
	return errors
}

// TestLaplaceMaxDraws compares draws with the law. False alarms: 1e-6.
func TestLaplaceMaxDraws(t *testing.T) {
	errors := []int64{0, 2, -3, 1}
	laplace := must.Value(noise.NewLaplace(big.NewRat(3, 2)))(t)
	src := root(t).Stream("test", 0, [32]byte{})
	law := maxLaw(errors, big.NewRat(3, 2)).probabilities()
	seen := make([]int, len(law))
	for range 60_000 {
		seen[laplaceMax(errors, laplace, src)]++
	}
	p := dptest.ChiSquare(seen, law)
	must.Hold(t, p >= dptest.Alarm, "p = %g: %v against %v", p, seen, law)
}
