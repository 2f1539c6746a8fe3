package choose

import (
	"math"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// A demand curve is tabulated at precisions 2^first, 2^(first+1), …: from one unit among 2^50 to more
// than any budget buys in the smallest table.
const (
	firstOctave = -110
	octaves     = 160
)

// demand is the slope of a candidate's error in precision^power at every octave of precision, falling.
type demand struct {
	slope [octaves]float64
	least float64 // the slope at precision 0
}

// demand returns the candidate's demand, which changes with its prior alone.
func (c *Candidate) demand(power float64) *demand {
	if c.asks == nil {
		c.asks = &demand{least: c.slope(0)}
		for j := range c.asks.slope {
			u := math.Ldexp(1, firstOctave+j)
			c.asks.slope[j] = c.slope(u) * math.Pow(u, 1-power) / power
		}
		if power < 1 {
			c.asks.startAtOnce(func(u float64) float64 { return (c.error(0) - c.error(u)) / math.Pow(u, power) })
		}
	}
	return c.asks
}

// startAtOnce makes a demand fall whose slope rises before it falls. A little precision costs much then and tells nothing:
// a table gets none up to the price at which the most gain for its cost is had, and then at least as much as that takes.
func (d *demand) startAtOnce(gain func(precision float64) float64) {
	best := 0
	d.least = 0
	for j := range d.slope {
		if g := gain(math.Ldexp(1, firstOctave+j)); g > d.least {
			best, d.least = j, g
		}
	}
	for j := range d.slope {
		if d.slope[j] = min(d.slope[j], d.least); j <= best {
			d.slope[j] = d.least
		} else {
			d.slope[j] = min(d.slope[j], d.slope[j-1])
		}
	}
}

// waterfill sets the precision of every candidate to minimise Σ weight·error(precision) subject to
// Σ (cost·precision)^power = budget, a share of the law's. The optimum has one price: weight·slope = price·cost^power for all
// candidates with precision above 0. Where many start at once at one price, as many do as the budget has room for.
//
// Cost: about 100 µs per candidate with a new prior, plus 50 ns per candidate and step of the search for the price.
func (l Law) waterfill(list []*Candidate, budget float64) {
	most := l.Raise(1, budget)
	spend := func(logPrice float64) float64 {
		sum := 0.0
		for _, c := range list {
			c.Precision = min(c.demand(l.Power).at(math.Exp(logPrice)*l.Spend(c.Cost, 1)/c.weight), most/c.Cost)
			sum += l.Spend(c.Cost, c.Precision)
		}
		return sum
	}
	_, price := bisect.Steps(-200, 200, 60, func(logPrice float64) bool { return !(spend(logPrice) > budget) })
	sum := spend(price)
	for _, c := range list {
		// At once is at the least price at which it gets nothing.
		if d := c.demand(l.Power); l.Laplace() && c.Precision == 0 && d.least*c.weight >= math.Exp(price)*l.Spend(c.Cost, 1)*startsAlike {
			u := min(d.at(d.least*startsAlike), most/c.Cost)
			if each := l.Spend(c.Cost, u); sum == 0 || sum+each <= budget {
				c.Precision, sum = u, sum+each
			}
		}
	}
	if sum > 0 { // 0 if no candidate has a cell
		for _, c := range list {
			c.Precision *= l.Raise(sum, budget)
		}
	}
}

// startsAlike is the part of the best price for which a candidate still starts, if there is budget left.
const startsAlike = .98

// at returns the precision at which the slope has fallen to the given one, by linear interpolation of
// the logarithms between octaves.
func (d *demand) at(slope float64) float64 {
	if !(slope < d.least) {
		return 0
	}
	j := sort.Search(octaves, func(j int) bool { return d.slope[j] <= slope })
	switch j {
	case 0:
		return math.Ldexp(1, firstOctave)
	case octaves:
		return math.Ldexp(1, firstOctave+octaves-1)
	}
	above, below := d.slope[j-1], d.slope[j]
	return math.Exp2(float64(firstOctave+j-1) + math.Log(above/slope)/math.Log(above/below))
}

// reweigh moves the weights of all candidates half way to the derivatives of the predicted error of the
// workload, in which the errors of a triple, or a wider table, and of the tables inside add in quadrature.
func reweigh(pairs, triples []*Candidate) {
	fresh := map[*Candidate]float64{}
	for _, p := range pairs {
		fresh[p] = p.own
	}
	for _, t := range triples {
		e := t.error(t.Precision)
		square := e * e
		parts := make([]float64, len(t.inside))
		for j, p := range t.inside {
			parts[j] = p.error(p.Precision)
			square += parts[j] * parts[j]
		}
		whole := math.Sqrt(square) + 1e-9
		fresh[t] += t.own * e / whole
		for j, p := range t.inside {
			fresh[p] += t.own * parts[j] / whole
		}
	}
	for _, c := range slices.Concat(pairs, triples) {
		c.weight = (c.weight + fresh[c]) / 2
	}
}
