package interval

import (
	"math"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// Linear computes standard errors of linear queries on the cells of one marginal. Methods are safe for use by many at once.
type Linear struct {
	fitted   []float64
	units    float64
	totalVar float64
	parts    []part
	source   Source
	known    bool // false: no release bears on the model
}

// part is what one interaction adds to the error of a query. Its cells err with the variances before that sums along its faces are
// known, and those sums have no error of their own.
type part struct {
	of       []int32 // cell of the interaction that each cell of the marginal is in
	base     []float64
	variance []float64 // of the count of units in hand
	beyond   []float64 // of the count that the population would lead one to expect
	faces    []face
	one      int // number of values of the attribute, if the interaction is of a single one; else 0
}

// face is a table inside an interaction's.
type face struct {
	of  []int32
	sum int // number of its cells
}

// Linear prepares queries on the cells of t.
func (v *Intervals) Linear(t Table) *Linear {
	l := &Linear{fitted: t.Fitted, units: v.units, totalVar: v.totalVariance, source: v.source(t.Clique)}
	l.known = l.source != Bound
	if !l.known {
		return l
	}
	var plain []int // positions
	for i, a := range t.Clique {
		if v.sizes[a] > 1 {
			plain = append(plain, i)
		}
	}
	eachSubset(plain, measuredWidth, func(sub domain.Clique) {
		p, source := v.part(&t, sub, sub)
		l.parts, l.source = append(l.parts, p), worse(l.source, source)
	})
	if len(plain) > measuredWidth {
		p, source := v.part(&t, plain, nil)
		l.parts, l.source = append(l.parts, p), worse(l.source, source)
	}
	return l
}

// worse returns the source that says less.
func worse(a, b Source) Source { return max(a, b) }

// Source returns where the standard errors come from: that of the interaction of which least is known.
func (l *Linear) Source() Source { return l.source }

// part returns the interaction of the attributes at some positions of t's clique; measured is the same, or nil of the
// interactions of more attributes than any release is of.
func (v *Intervals) part(t *Table, at, measured domain.Clique) (part, Source) {
	clique := make(domain.Clique, len(at))
	for i, k := range at {
		clique[i] = t.Clique[k]
	}
	of, first := group(v.sizes, t, at)
	p := part{of: of, base: make([]float64, len(first))}
	for i, w := range t.Fitted {
		p.base[of[i]] += w
	}
	if len(at) == 1 {
		p.one = v.sizes[clique[0]]
		p.faces = []face{{make([]int32, len(first)), 1}}
	} else {
		eachSubset(at, min(len(at)-1, measuredWidth), func(sub domain.Clique) {
			if len(sub) == min(len(at)-1, measuredWidth) {
				lower, cells := group(v.sizes, t, sub)
				f := face{make([]int32, len(first)), len(cells)}
				for j, i := range first {
					f.of[j] = lower[i]
				}
				p.faces = append(p.faces, f)
			}
		})
	}
	codes := func(j, i int) domain.Code { return t.Codes[at[i]][first[j]] }
	source := v.uncertain(&p, clique, codes, measured != nil)
	return p, source
}

// uncertain fills in the variances of an interaction's cells, of which no more is known than what was released of it.
func (v *Intervals) uncertain(p *part, c domain.Clique, code func(j, i int) domain.Code, measurable bool) Source {
	n := len(p.base)
	p.variance, p.beyond = make([]float64, n), make([]float64, n)
	switch source := v.source(c); {
	case source == Certificate:
		v.certified(p.base, p.variance)
		for j, s := range p.variance {
			p.variance[j] = certifiedPart * s * s
			p.beyond[j] = certifiedPart * s * s
		}
		return source
	case v.uncertainty == nil:
		u, scatter := v.precision(c), 0.0
		if u == 0 {
			scatter = 1
		}
		for j, b := range p.base {
			x := v.scale * (b + softening)
			p.beyond[j] = inflation * inflation * x / (1 + x*u)
			p.variance[j] = p.beyond[j] + scatter*b
		}
		return source
	case len(c) == 1:
		for j, b := range p.base {
			x := v.oneWay[c[0]][code(j, 0)]
			x = min(x, (b+math.Sqrt(x))*math.Sqrt(x))
			p.variance[j], p.beyond[j] = x, x
		}
		return source
	}
	source := v.source(c)
	t := v.tables[c.Key()]
	if t == nil || !measurable {
		t, source = v.unscreened(min(len(c), measuredWidth), p.base), Extrapolated
	}
	v.interaction(p, c, t, code)
	v.pooledCells(p, c, code)
	return source
}

// certifiedPart of the variance that a certificate allows a cell is given to each interaction: cells hardly all err by as much.
const certifiedPart = .65

// interaction fills in the variances of an interaction that was screened, or is taken to be like one that was.
func (v *Intervals) interaction(p *part, c domain.Clique, t *solver.TableUncertainty, code func(j, i int) domain.Code) {
	free := 1.0 // part of an even table's variance that its interaction has
	for _, a := range c {
		free *= 1 - 1/float64(v.sizes[a])
	}
	earlier, last := t.Earlier*free, t.Precision*free
	prior := make([]float64, len(p.base))
	for j, b := range p.base {
		prior[j] = t.Scale * b * math.Sqrt(b)
	}
	f := p.spread(prior)
	least := v.roomOf(p, c, code)
	for j, b := range p.base {
		x := f * f * prior[j]
		after := func(x float64) float64 {
			x = t.Growth * x / (1 + x*earlier)
			return min(x/(1+x*last), least*least)
		}
		p.variance[j], p.beyond[j] = after(x+b), after(x)
	}
}

// spread returns the factor of standard deviations that keeps the distance of a table, when the sums along its faces are known.
func (p *part) spread(prior []float64) float64 {
	alone, shared := 0.0, make([]float64, len(prior))
	for j, x := range prior {
		alone += math.Sqrt(x)
		shared[j] = x
	}
	for _, f := range p.faces {
		sums := make([]float64, f.sum)
		for j, x := range prior {
			sums[f.of[j]] += x
		}
		for j, x := range prior {
			if x > 0 {
				shared[j] *= max(0, 1-x/sums[f.of[j]])
			}
		}
	}
	kept := 0.0
	for _, x := range shared {
		kept += math.Sqrt(x)
	}
	if kept <= 0 {
		return 1
	}
	return min(alone/kept, mostSpread)
}

// mostSpread bounds the factor where nearly every line of a table has one cell alone.
const mostSpread = 4

// roomOf is room for a table without its empty cells.
func (v *Intervals) roomOf(p *part, c domain.Clique, code func(j, i int) domain.Code) float64 {
	for _, a := range c {
		if v.sizes[a] != 2 {
			return math.Inf(1)
		}
	}
	least, cells := [2]float64{math.Inf(1), math.Inf(1)}, [2]int{}
	for j, b := range p.base {
		x := uint(0)
		for i := range c {
			x = x<<1 | uint(code(j, i))
		}
		sign := bits.OnesCount(x) % 2
		least[sign], cells[sign] = min(least[sign], b), cells[sign]+1
	}
	for sign := range least {
		if cells[sign] < 1<<(len(c)-1) {
			least[sign] = 0
		}
	}
	return 1 + max(least[0], least[1])
}

// pooledCells overwrites the variances of cells with pooled values: units with the same pooled value are assumed to have the
// correlation alike in where they fall.
func (v *Intervals) pooledCells(p *part, c domain.Clique, code func(j, i int) domain.Code) {
	for i, a := range c {
		if !slices.Contains(v.uncertainty.Pooled[a], true) {
			continue
		}
		counts := make([]float64, v.sizes[a])
		for j, b := range p.base {
			counts[code(j, i)] += b
		}
		for j, b := range p.base {
			if v.uncertainty.Pooled[a][code(j, i)] {
				p.beyond[j] = alike * b * counts[code(j, i)]
				p.variance[j] = p.beyond[j] + (1-alike)*b
			}
		}
	}
}

// sweeps is how often sums along faces are taken out of a query. Fewer make standard errors larger, never smaller.
const sweeps = 6

// error returns the variance that the interaction adds to a query with the means q in its cells.
func (p *part) error(q, variance []float64) float64 {
	rest := slices.Clone(q)
	turns := sweeps
	if len(p.faces) == 1 {
		turns = 1
	}
	for range turns {
		for _, f := range p.faces {
			sum, weight := make([]float64, f.sum), make([]float64, f.sum)
			for j, x := range rest {
				sum[f.of[j]] += variance[j] * x
				weight[f.of[j]] += variance[j]
			}
			for k, w := range weight {
				if w > 0 {
					sum[k] /= w
				}
			}
			for j := range rest {
				rest[j] -= sum[f.of[j]]
			}
		}
	}
	out := 0.0
	for j, x := range rest {
		out += variance[j] * x * x
	}
	return out
}

// Variance returns the variance of the answer to the query that adds q[i] for every unit in cell i: of the model's answer for the
// units in hand; of the same for a population that they are a random sample of; and what their draw adds to that.
func (l *Linear) Variance(q []float64) (sample, population, drawn float64) {
	mean, square := 0.0, 0.0
	for i, w := range l.fitted {
		mean += w * q[i] / l.units
		square += w * q[i] * q[i]
	}
	drawn = max(0, square-l.units*mean*mean)
	if !l.known {
		least, most := slices.Min(q), slices.Max(q)
		x := anything(l.units, 0) * max(math.Abs(most), math.Abs(least), most-least)
		return x * x, x * x, drawn
	}
	total := mean
	for i := range l.parts {
		p := &l.parts[i]
		means := make([]float64, len(p.base))
		for j, w := range l.fitted {
			means[p.of[j]] += w * q[j]
		}
		for j, b := range p.base {
			means[j] /= b
		}
		if p.one > 0 { // the released deviations are from even columns
			even := mean * float64(p.one-len(means))
			for _, x := range means {
				even += x
			}
			total += even/float64(p.one) - mean
		}
		sample += p.error(means, p.variance)
		population += p.error(means, p.beyond)
	}
	n := l.totalVar * total * total
	return sample + n, population + n, drawn
}

// Least returns the variance of the count of a value that the model has nowhere: that of the best known column of c.
func (v *Intervals) Least(c domain.Clique) float64 {
	least := v.units * v.units / (sigmas95 * sigmas95)
	for _, a := range c {
		switch {
		case v.uncertainty != nil:
			least = min(least, slices.Max(v.oneWay[a]))
		case v.source(domain.Clique{a}) == Certificate:
			s := []float64{0}
			v.certified(s, s)
			least = min(least, s[0]*s[0])
		case v.scale >= 0:
			x, u := v.scale*softening, v.precision(domain.Clique{a})
			least = min(least, wholeInflation*wholeInflation*x/(1+x*u))
		}
	}
	return least
}
