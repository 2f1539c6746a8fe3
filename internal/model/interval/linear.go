package interval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
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
	whole    bool // it was fitted to whole marginals
	width    int  // attributes with a choice
}

// part is what one interaction adds to the error of a query. Its cells err with the variances before that sums along its faces are
// known, and those sums have no error of their own.
type part struct {
	of       []int32         // cell of the interaction that each cell of the marginal is in
	codes    [][]domain.Code // of each of its attributes in its cells
	base     []float64
	variance []float64 // of the count of units in hand
	beyond   []float64 // of the count that the population would lead one to expect
	alone    []float64 // of the count of a cell by itself, if its answer is known; else nil
	faces    []face
	moved    []float64     // standard deviation that the prior has in each cell of a pair; nil of others
	missed   *missed       // nil: not known
	pooled   []bool        // of a column's values; nil: none
	dealt    *dealing      // of a pair with merged numbers of rows; nil of others
	at       domain.Clique // positions of its attributes in the marginal's clique
	told     []float64     // how far its releases tell each of its cells; nil: not at all, or of many cells
	even     []float64     // share of each of its cells of what the number of units is off by, if told
	evenly   []evenly      // those that hold it
	one      int           // number of values of the attribute, if the interaction is of a single one of a residual fit; else 0
}

// Linear prepares queries on the cells of t, which differ.
func (v *Intervals) Linear(t Table) *Linear {
	l := &Linear{fitted: t.Fitted, units: v.units, totalVar: v.totalVariance, source: v.source(t.Clique)}
	l.known, l.whole = l.source != Bound, v.uncertainty == nil
	if l.width = v.plain(t.Clique); l.totalVar > 0 {
		l.totalVar = max(l.totalVar, rounding) // noise that is nearly always 0 is off by one if it is off
	}
	if !l.known {
		return l
	}
	var plain []int // positions
	for i, a := range t.Clique {
		if v.sizes[a] > 1 {
			plain = append(plain, i)
		}
	}
	g, alone := newGrouper(v.sizes, &t, measuredWidth), v.alone(t.Clique)
	eachSubset(plain, measuredWidth, func(sub domain.Clique) {
		p, source := v.part(g, sub, sub)
		for j, b := range p.base {
			if alone != nil {
				p.alone = append(p.alone, alone[p.codes[0][j]]+min(rounding, b))
				p.one = v.sizes[t.Clique[sub[0]]] // the number of units is the sum of these answers
			}
		}
		if l.whole && len(sub) == l.width && l.width > 1 && p.missed != nil && p.missed.noise > 0 {
			p.alone = v.keptOf(&p, t.Clique, sub)
		}
		if i := slices.Index(sub, t.Rows-1); i >= 0 && len(sub) == 2 && v.uncertainty != nil {
			if p.dealt = p.deals(i, v.uncertainty.Pooled[t.Clique[sub[i]]], v.oneWay[t.Clique[sub[i]]]); p.dealt != nil {
				source = worse(source, Pooled)
			}
		}
		l.parts, l.source = append(l.parts, p), worse(l.source, source)
	})
	l.spreads(v.sizes, t.Clique)
	if len(plain) > measuredWidth {
		p, source := v.part(g, plain, nil)
		if t.Classes != nil && len(p.base) > manyCells {
			p.merge(t.Classes, plain)
		}
		l.parts, l.source = append(l.parts, p), worse(l.source, source)
	}
	return l
}

// worse returns the source that says less.
func worse(a, b Source) Source { return max(a, b) }

// Source returns where the standard errors come from: the source of the interaction that is known least.
func (l *Linear) Source() Source { return l.source }

// part returns the interaction of the attributes at some positions of a table's clique; measured is the same, or nil of the
// interactions of more attributes than any release is of.
func (v *Intervals) part(g *grouper, at, measured domain.Clique) (part, Source) {
	p := g.interaction(at)
	clique := make(domain.Clique, len(at))
	for i, k := range at {
		clique[i] = g.t.Clique[k]
	}
	for i, w := range g.t.Fitted {
		p.base[p.of[i]] += w
	}
	if len(at) == 1 && v.uncertainty != nil {
		p.one = v.sizes[clique[0]]
	}
	if measured != nil && !v.untold(clique) {
		p.missed = v.missedBy(&p, clique)
	}
	source := v.uncertain(&p, clique, measured != nil)
	if w := max(v.widening[clique.Key()], v.together); w > 1 {
		for j := range p.variance {
			p.variance[j], p.beyond[j] = w*w*p.variance[j], w*w*p.beyond[j]
		}
	}
	if v.off(clique) {
		source = worse(source, Scored)
	}
	return p, source
}

// off reports whether the fit misses a table that holds the columns of c, or all tables together, by more than noise explains.
func (v *Intervals) off(c domain.Clique) bool {
	return v.together > 1 || v.fit != nil && slices.ContainsFunc(v.fit.Off, func(t solver.TableFit) bool { return t.Clique.Contains(c) })
}

// uncertain fills in the variances of an interaction's cells, known only from what was released of it.
func (v *Intervals) uncertain(p *part, c domain.Clique, measurable bool) Source {
	n := len(p.base)
	p.variance, p.beyond = make([]float64, n), make([]float64, n)
	switch source := v.source(c); {
	case source == Certificate:
		v.certified(1, certifiedKnee, p.base, p.variance)
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
			p.variance[j] = p.beyond[j] + scatter*b + min(rounding, b)
		}
		if len(c) == 1 && u > 0 {
			for j := range p.base {
				p.variance[j], p.beyond[j] = max(p.variance[j], 1/u), max(p.beyond[j], 1/u)
			}
		}
		return source
	case len(c) == 1:
		for j, b := range p.base {
			x := v.oneWay[c[0]][p.codes[0][j]]
			x = min(x, (b+math.Sqrt(x))*math.Sqrt(x))
			p.variance[j], p.beyond[j] = x, x
		}
		if pooled := v.uncertainty.Pooled[c[0]]; slices.Contains(pooled, true) {
			p.pooled = make([]bool, n)
			for j, code := range p.codes[0] {
				p.pooled[j] = pooled[code]
			}
		}
		return source
	}
	source := v.source(c)
	t := v.tables[c.Key()]
	if t == nil || !measurable {
		t, source = v.unscreened(min(len(c), measuredWidth), p.base), Extrapolated
	}
	v.interaction(p, c, t)
	v.pooledCells(p, c)
	return source
}

// certifiedPart of the variance that a certificate allows a cell is given to each interaction: cells hardly all err by as much.
const certifiedPart = .65

// interaction fills in the variances of an interaction that was screened, or is taken to be like one that was.
func (v *Intervals) interaction(p *part, c domain.Clique, t *solver.TableUncertainty) {
	free := 1.0 // part of an even table's variance that its interaction has
	for _, a := range c {
		free *= 1 - 1/float64(v.sizes[a])
	}
	earlier, last := t.Earlier*free, t.Precision*free
	prior := lists.Of(p.base, func(b float64) float64 { return t.Scale * b * math.Sqrt(b) })
	f := p.spread(prior)
	least := v.roomOf(p, c)
	if len(c) == 2 && !v.earlier {
		p.moved = make([]float64, len(p.base))
	}
	for j, b := range p.base {
		x := f * f * prior[j]
		after := func(x float64) float64 {
			x = t.Growth * x / (1 + x*earlier)
			return min(x/(1+x*last), least*least)
		}
		p.variance[j], p.beyond[j] = after(x+b), after(x)
		if p.moved != nil {
			p.moved[j] = math.Sqrt(p.variance[j]) * max(0, 1-p.variance[j]*(earlier+last))
		}
	}
	if u := earlier + last; u > 0 && len(p.base) <= manyCells && !v.earlier {
		p.told = telling(p.variance, u)
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

// Variance returns the variance of the model's answer to the query that adds q[k] for every unit in cells[k]: for the units in
// hand, or for the population that they are a random sample of; and what their draw adds to the latter.
func (l *Linear) Variance(cells []int, q []float64, population bool) (model, drawn float64) {
	answered := math.Inf(1)                                    // of the noisy answers of the table itself, and the distance of the fit from them
	mean, square, whole, one, alone := 0.0, 0.0, 0.0, 0.0, 0.0 // one: how far it is a question of one cell
	for k, i := range cells {
		whole += min(rounding, l.fitted[i]) * q[k] * q[k] // a fit stops before it has whole people
		mean += l.fitted[i] * q[k] / l.units
		square += l.fitted[i] * q[k] * q[k]
	}
	drawn = max(0, square-l.units*mean*mean)
	if !l.known {
		least, most := math.Inf(1), math.Inf(-1)
		if len(cells) < len(l.fitted) { // nothing is added for the others
			least, most = 0, 0
		}
		for _, x := range q {
			least, most = min(least, x), max(most, x)
		}
		x := anything(l.units, 0) * max(math.Abs(most), math.Abs(least), most-least)
		return x * x, drawn
	}
	total, held := mean, make([][]float64, len(l.parts))
	for i := range l.parts {
		held[i] = l.parts[i].means(l.fitted, cells, q)
	}
	for i := range l.parts {
		p, means := &l.parts[i], held[i]
		if p.one > 0 { // the released deviations are from even columns
			even := mean * float64(p.one-len(means))
			for _, x := range means {
				even += x
			}
			total += even/float64(p.one) - mean
		}
		variance := p.variance
		if population {
			variance = p.beyond
		}
		x := p.error(means, variance)
		for _, e := range p.evenly {
			x = max(x, p.error(e.means(held[e.part], len(means)), variance))
		}
		if p.alone != nil && !population && len(p.codes) == 1 {
			one := concentration(means)
			x = one*p.error(means, p.alone) + (1-one)*x
		}
		model += x
		if p.dealt != nil {
			x := p.dealt.off(means) / sigmas95
			model += x * x
		}
		if p.missed == nil {
			continue
		}
		miss, noise := p.missed.of(means, p.base)
		if l.whole && oneSided(means) < .5 { // a mean, of which too much and too little are the same
			miss = math.Abs(miss)
		}
		model += beyond(miss, noise, len(p.codes))
		if p.missed.centred {
			model += keptNoise * oneSided(means) * noise
		}
		if len(p.codes) == l.width && noise > 0 && !p.missed.merged && !population {
			if p.alone != nil && l.width > 1 {
				one = concentration(means)
				for j, x := range means {
					alone += p.alone[j] * x * x
				}
			}
			answered = inflation * inflation * (miss*miss + noise)
			if l.source == Certificate && l.width == 1 {
				if answered = ofColumn(miss, noise); p.alone != nil {
					one, alone = concentration(means), p.error(means, p.alone)+beyond(miss, noise, 1)
				}
			}
		}
	}
	for i := range l.parts {
		if even := l.parts[i].even; even != nil {
			total = max(math.Abs(total), math.Abs(floats.Dot(even, held[i])))
		}
	}
	if model = min(model, answered); l.source == Certificate && !math.IsInf(answered, 1) { // which says nothing of sums
		model = answered
	}
	return max(one*alone+(1-one)*model+l.totalVar*total*total, whole*concentration(q)), drawn
}

// keptNoise is the part of the noise of a sum of cells, in variance, that a fit to residuals keeps beyond what its prior says: it
// gives no cell less than 0, so that noise of cells that are nearly empty does not cancel. With none 90 % of the counts of corners
// beside a diagonal of numbers held, and 94 % if the order is declared; now 94 and 97 % do, of other tables too. See TestDiagonals in
// package answer.
const keptNoise = .3

// concentration returns how far a query is one of a single cell: 1, and of many 0.
func concentration(q []float64) float64 {
	size, square := 0.0, 0.0
	for _, x := range q {
		size, square = size+math.Abs(x), square+x*x
	}
	return square / max(size*size, math.SmallestNonzeroFloat64)
}

// oneSided returns how far a query is a sum of many cells with one sign: 1 of all, 0 of one cell, and of a mean, whose parts cancel.
func oneSided(q []float64) float64 {
	sum, size := 0.0, 0.0
	for _, x := range q {
		sum, size = sum+x, size+math.Abs(x)
	}
	if size == 0 {
		return 0
	}
	return max(0, math.Abs(sum)/size-concentration(q))
}

// Least returns the variance of the count of a value that the model has nowhere: the variance of the best known column of c.
func (v *Intervals) Least(c domain.Clique) float64 {
	least := v.units * v.units / (sigmas95 * sigmas95)
	for _, a := range c {
		switch {
		case v.uncertainty != nil:
			least = min(least, slices.Max(v.oneWay[a]))
		case v.source(domain.Clique{a}) == Certificate:
			s := []float64{0}
			v.certified(1, columnKnee, s, s)
			least = min(least, s[0]*s[0])
		case v.scale >= 0:
			x, u := v.scale*softening, v.precision(domain.Clique{a})
			least = min(least, wholeInflation*wholeInflation*x/(1+x*u))
		}
	}
	return least
}
