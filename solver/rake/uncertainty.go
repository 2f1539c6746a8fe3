package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/solver"
)

// uncertainty returns what is known about the error of every cell: the noise of the one-way tables, and of
// each pair and scored triple what its screenings and releases leave of its first prior. All of it follows from
// releases.
func (r *run) uncertainty() *solver.Uncertainty {
	u := &solver.Uncertainty{OneWay: make([]float64, len(r.oneWays)), Pooled: make([][]bool, len(r.oneWays))}
	for a, one := range r.oneWays {
		u.OneWay[a] = one.spread
		if one.learned {
			if u.Bins == nil {
				u.Bins = make([][]float64, len(r.oneWays))
			}
			u.Bins[a] = one.bins
		}
		u.Pooled[a] = r.merged.alone(a)
		for v, alone := range u.Pooled[a] {
			u.Pooled[a][v] = !alone
		}
	}
	for _, c := range slices.Concat(r.pairs, r.triples) {
		u.Tables = append(u.Tables, c.uncertainty)
	}
	return u
}

// A later screening counts within these bounds only, since noise and the floor of scores blur it. With ½ as the least,
// and not ¼, the intervals of pairs that were not measured again hold 96 % in place of 86 to 91 %.
const leastGrowth, mostGrowth = .5, 4

// screen keeps what the score says of the cells' variance. The first screening sets the prior; a later one is of
// what the release before it left, whose standard deviations it scales by one factor.
func (c *candidate) screen() {
	k := &c.uncertainty
	k.Distance = c.score
	if k.Clique == nil {
		k.Clique, k.Scale, k.Growth = c.clique, c.scale, 1
		return
	}
	k.Earlier, k.Precision = k.Precision, 0
	expected := 1e-9
	for _, b := range c.bins {
		expected += b.cells * .8 * math.Sqrt(k.Variance(k.Scale*math.Pow(b.base, priorPower)))
	}
	f := c.score / expected
	k.Growth = min(max(f*f, leastGrowth), mostGrowth)
}

// released reports whether the table was released, in whichever round.
func (c *candidate) released() bool { return c.uncertainty.Earlier+c.uncertainty.Precision > 0 }

// alone says of every value of attribute a whether it has a code of its own.
func (m *merged) alone(a int) []bool {
	members, out := make([]int, m.sizes[a]), make([]bool, len(m.codes[a]))
	for _, c := range m.codes[a] {
		members[c]++
	}
	for v, c := range m.codes[a] {
		out[v] = members[c] == 1
	}
	return out
}
