package interval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Highs writes the upper end of the 95 % interval of every cell of the marginal of c, given its fitted count and standard error; the
// lower end is 1.96 standard errors below the fitted count. A fit draws small counts towards 0: it is often below them by more than
// its standard error, and hardly ever above. So the upper end is at least the noisy answer's own, if there is one, and of a
// certificate follows from the standard error of a count there. By the noise of the number of people all cells err together.
func (v *Intervals) Highs(c domain.Clique, fitted, standardErrors, dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(fitted))
	}
	v.check(c, len(fitted), len(dst))
	for i, s := range standardErrors {
		dst[i] = fitted[i] + SigmasAbove(fitted[i], s)*s
	}
	if v.source(c) == Certificate && v.answered(c) == nil {
		again := make([]float64, len(dst))
		for i, s := range standardErrors {
			again[i] = fitted[i] + s/tableCertified
		}
		v.certified(1, certifiedKnee, again, again)
		for i, s := range again {
			dst[i] = max(dst[i], fitted[i]+SigmasAbove(fitted[i], standardErrors[i])*s)
		}
		return dst
	}
	if m := v.misses[c.Key()]; m != nil && len(c) > 1 && m.Variance > 0 {
		v.answeredHighs(m, c, fitted, standardErrors, dst)
	} else if len(c) == measuredWidth {
		v.tripleHighs(c, fitted, dst)
	}
	v.pooledHighs(c, fitted, dst)
	return dst
}

// SigmasAbove is how many standard errors of a count its 95 % interval has above it: where it begins at 0, all that it leaves out is
// above, and it reaches up as far as down at least.
func SigmasAbove(count, standardError float64) float64 {
	return min(max(certifiedSigmas, count/max(standardError, math.SmallestNonzeroFloat32)), sigmas95)
}

// pooledHighs raises the upper ends of cells with pooled values to the counts of those: all people of a value may be in one cell.
func (v *Intervals) pooledHighs(c domain.Clique, fitted, dst []float64) {
	if v.uncertainty == nil || len(c) == 1 {
		return
	}
	most := slices.Repeat([]float64{math.Inf(1)}, len(dst))
	for i, a := range c {
		if !slices.Contains(v.uncertainty.Pooled[a], true) {
			continue
		}
		counts := population.NewProjection(v.sizes, c, domain.Clique{a}).Sum(make([]float64, v.sizes[a]), fitted)
		eachCell(v.sizes, c, i, func(cell, code int) {
			if v.uncertainty.Pooled[a][code] {
				most[cell] = min(most[cell], counts[code]+sigmas95*math.Sqrt(v.oneWay[a][code]))
			}
		})
	}
	for i, x := range most {
		if !math.IsInf(x, 1) {
			dst[i] = max(dst[i], x)
		}
	}
}

// tripleHighs raises the upper ends of a triple's cells as far as its pairs' are above the fitted counts: each cell has its share of the
// people whom the fit of a pair may miss.
func (v *Intervals) tripleHighs(c domain.Clique, fitted, dst []float64) {
	for _, sub := range marginal.Subsets(c, 2) {
		if v.misses[sub.Key()] == nil {
			continue
		}
		onto := population.NewProjection(v.sizes, c, sub)
		cells, _ := sub.Cells(v.sizes) // no more than c has
		pair := onto.Sum(make([]float64, cells), fitted)
		above, each := v.Highs(sub, pair, v.StandardErrors(sub, pair, nil), nil), slices.Clone(fitted)
		for i, b := range pair {
			above[i] = (above[i] - b) / max(b, math.SmallestNonzeroFloat32)
		}
		onto.Multiply(each, above)
		for i, x := range each {
			dst[i] = max(dst[i], fitted[i]+x)
		}
	}
}

// answeredHighs raises the upper ends of a table's cells to those of its noisy answers. People of cells with one answer together may
// all be in one of them.
func (v *Intervals) answeredHighs(m *miss.Table, c domain.Clique, fitted, standardErrors, dst []float64) {
	var sizes [2]int
	var line [2][]float64 // noise of the sums along each
	var all [2]float64
	for i, a := range c {
		if m.Centred {
			sizes[i] = codesOf(m, i, v.sizes[a])
			line[i] = v.lineNoise(a, m, i, sizes[i])
			all[i] = floats.Sum(line[i])
		}
	}
	cells, far := float64(len(m.Counts)), v.far(m)
	for cell, at := range v.answersOf(m) {
		noise := m.Variance * (1 - 1/cells)
		if m.Centred {
			noise = m.Variance * (1 - 1/float64(sizes[0])) * (1 - 1/float64(sizes[1]))
			for i, code := range [2]int{at / sizes[1], at % sizes[1]} {
				own := 1/float64(sizes[1-i]) - 1/cells
				noise += line[i][code]*own*own + (all[i]-line[i][code])/(cells*cells)
			}
		}
		if fitted[cell] > far*math.Sqrt(noise) {
			continue
		}
		miss := m.Unit * float64(m.Counts[at])
		up := SigmasAbove(fitted[cell], standardErrors[cell]) * (math.Sqrt(noise) + math.Sqrt(v.ofTotal(fitted[cell], len(fitted))))
		dst[cell] = max(dst[cell], fitted[cell]-miss+up)
	}
}

// far returns how many standard deviations of its noise a cell with an answer has at most, if its upper end is the answer's own. Of the
// cells of sums whose noise a fit to whole marginals loses, few people alone have such an end.
func (v *Intervals) far(m *miss.Table) float64 {
	if v.scale >= 0 && m.Kept > 0 && m.Kept < .999 {
		return manySigmas
	}
	return math.Inf(1)
}

// manySigmas is how many standard deviations of its noise a sum of cells has that a fit draws towards 0 no more.
const manySigmas = 5.

// High returns by how much the number of people of whom q[k] of those in cells[k] are counted may exceed the fitted number: to the
// upper end of the answer's own interval, where noise may hide the people; and else 0. It reaches so many standard errors up. See Highs.
func (l *Linear) High(cells []int, q []float64, sigmas float64) float64 {
	high := 0.0
	for i := range l.parts {
		p := &l.parts[i]
		if p.pooled != nil && l.width > 1 {
			high = max(high, p.mayHold(p.means(l.fitted, cells, q)))
		}
		if p.missed == nil || len(p.codes) < 2 || l.width > measuredWidth {
			continue
		}
		means, value := p.means(l.fitted, cells, q), 0.0
		for j, b := range p.base {
			value += means[j] * b
		}
		far := manySigmas
		if p.alone != nil && concentration(means) > .99 { // of one cell, whose interval has no other end
			far = p.missed.far
		}
		if p.missed.merged {
			means = p.missed.spread(means)
		}
		if miss, noise := p.missed.of(means, p.base); noise > 0 && value < far*math.Sqrt(noise) {
			high = max(high, sigmas*math.Sqrt(noise)-miss)
		}
	}
	return high
}

// mayHold returns how many more people of pooled values than the fitted ones a query may count, if it counts a part of each.
func (p *part) mayHold(means []float64) float64 {
	square, variance := 0.0, 0.0
	for j, x := range means {
		if p.pooled[j] && x > 0 && x < 1 {
			square += (1 - x) * p.base[j] * (1 - x) * p.base[j]
			variance += p.variance[j]
		}
	}
	return math.Sqrt(square) + sigmas95*math.Sqrt(variance)
}

// means returns the mean of q in the cells of an interaction.
func (p *part) means(fitted []float64, cells []int, q []float64) []float64 {
	means := make([]float64, len(p.base))
	for k, i := range cells {
		means[p.of[i]] += fitted[i] * q[k]
	}
	for j, b := range p.base {
		means[j] /= b
	}
	return means
}

// spread returns means where all people of cells with one answer are in those with the largest.
func (m *missed) spread(means []float64) []float64 {
	most := make([]float64, len(m.base))
	for j, x := range means {
		most[m.cell[j]] = max(most[m.cell[j]], x)
	}
	out := make([]float64, len(means))
	for j := range means {
		out[j] = most[m.cell[j]]
	}
	return out
}
