// Package cells estimates the counts of a table's cells from noisy answers, where most cells are empty.
package cells

import (
	"math"
	"slices"
)

// Law is the prior of the cells of a table, estimated from them. The usual prior is normal around what independent columns would
// have, the base. In columns that follow from each other most cells are empty, and some hold a multiple of the base: their counts
// have a law of their own, with an atom at 0 and as many at multiples of the base as fit the noisy cells best. What noise adds to
// thousands of empty cells would else be taken from the full ones.
//
// Sources: Kiefer, Wolfowitz 1956 (nonparametric maximum likelihood); Dempster, Laird, Rubin 1977 (EM).
type Law struct {
	Base   []float64    // counts of independent columns
	Scale  float64      // κ of the usual prior
	Spread [2][]float64 // standard deviations of the one-way answers of both columns
}

// The usual prior of a cell.
const (
	PriorPower = 1.5  // the variance of its deviation from its base b is κ·b^1.5
	LeastBase  = 1e-6 // counts; smaller bases count as this
)

const (
	leastMultiple = .5  // of the base …
	lawSpread     = .15 // … and what multiples scatter by. The next one is two of these apart
	lawShows      = 10  // logarithm of the likelihood ratio from which on a law is used
	lawSteps      = 200 // of EM at most …
	lawRound      = 20  // … in rounds; the last one gains less than 1
	usualAtFirst  = .4  // part of the cells; of empty ones the same
	mostLawCells  = 1 << 17
)

// Estimate is what a law says of the cells of a table.
type Estimate struct {
	Usual          []float64 // probability that a cell follows the usual prior
	Mean, Variance []float64 // of its count, if it does not
	Share, Empty   float64   // of the cells that do not, and of those that have 0
	Follows        bool      // column side of the table, from the other
	Side           int
}

func newEstimate(cells int) *Estimate {
	return &Estimate{Usual: make([]float64, cells), Mean: make([]float64, cells), Variance: make([]float64, cells)}
}

// Of returns the estimate of a table with noise of the given variance that its cells call for most; nil if the usual prior
// explains them.
func (l *Law) Of(counts []float64, shape []int, noise float64) *Estimate {
	if len(counts) > mostLawCells {
		return nil
	}
	e, gain := l.Cells(counts, noise)
	for side := range shape {
		if e == nil { // or it would follow less
			return nil
		}
		if x, g := l.Follow(counts, shape, side, noise, l.Spread[1-side]); x != nil && g > gain+lawShows {
			e, gain = x, g
		}
	}
	return e
}

// Likely returns the mean counts of the cells of a table that has a law of its own, and the share of the cells that follow the law; nil
// if the usual prior explains them. The κ of that prior is as large as the cells say. No mean is further than farthest from its answer:
// the largest error would else be a cell with people that noise takes for an empty one.
//
// Source: Efron, Morris 1972, "Limiting the risk of Bayes and empirical Bayes estimators".
func Likely(counts, base []float64, noise float64) (mean []float64, share float64) {
	if len(counts) > mostLawCells {
		return nil, 0
	}
	square, sum := 0.0, 0.0
	for i, y := range counts {
		b := max(base[i], LeastBase)
		square, sum = square+(y-b)*(y-b)-noise, sum+math.Pow(b, PriorPower)
	}
	l := &Law{Base: base, Scale: max(square/sum, leastScale)}
	e, _ := l.Cells(counts, noise)
	if e == nil {
		return nil, 0
	}
	for i, y := range counts {
		b := max(base[i], LeastBase)
		v := l.Scale * math.Pow(b, PriorPower)
		e.Mean[i] += e.Usual[i] * (max(0, b+(y-b)*v/(v+noise)) - e.Mean[i])
		e.Mean[i] = max(0, y-farthest*math.Sqrt(noise), min(e.Mean[i], y+farthest*math.Sqrt(noise)))
	}
	return e.Mean, e.Share
}

const (
	farthest   = 3 // standard deviations of the noise
	leastScale = 1e-6
)

// Cells returns the estimate of cells that have a law of their own, and the logarithm of its likelihood over the usual prior's.
func (l *Law) Cells(counts []float64, noise float64) (*Estimate, float64) {
	multiples := l.multiples(counts, math.Sqrt(noise))
	k := len(multiples) + 2
	like := l.likelihoods(counts, noise, multiples)
	weights := slices.Repeat([]float64{(1 - 2*usualAtFirst) / float64(k-2)}, k)
	weights[0], weights[1] = usualAtFirst, usualAtFirst
	gain := likeliest(like, weights, lawShows)
	if gain < lawShows {
		return nil, 0
	}
	out := newEstimate(len(counts))
	out.Share, out.Empty = 1-weights[0], weights[1]
	for i, y := range counts {
		out.at(i, y, max(l.Base[i], LeastBase), noise, like[i*k:(i+1)*k], weights, multiples)
	}
	return out, gain
}

// multiples returns the multiples of the base that cells may hold.
func (l *Law) multiples(counts []float64, sigma float64) (out []float64) {
	most := 1.0
	for i, b := range l.Base {
		most = max(most, counts[i]/max(b, .01*sigma))
	}
	for r := leastMultiple; r < 1.3*most; r *= 1 + 2*lawSpread {
		out = append(out, r)
	}
	return out
}

// likelihoods returns the likelihoods of each cell under the usual prior, at 0, and at every multiple, over the largest of them.
func (l *Law) likelihoods(counts []float64, noise float64, multiples []float64) []float64 {
	k := len(multiples) + 2
	like := make([]float64, len(counts)*k)
	normal := func(x, variance float64) float64 { return -x*x/variance/2 - math.Log(variance)/2 }
	for i, y := range counts {
		b, row := max(l.Base[i], LeastBase), like[i*k:(i+1)*k]
		row[0], row[1] = normal(y-b, l.Scale*math.Pow(b, PriorPower)+noise), normal(y, noise)
		top := max(row[0], row[1])
		for j, r := range multiples {
			row[2+j] = normal(y-r*b, lawSpread*lawSpread*r*r*b*b+noise)
			top = max(top, row[2+j])
		}
		for j, x := range row {
			row[j] = math.Exp(x - top)
		}
	}
	return like
}

// likeliest moves the weights to those that explain rows of likelihoods best, and returns the gain; it gives up where that is below least.
func likeliest(like, weights []float64, least float64) float64 {
	gain, next := math.Inf(-1), make([]float64, len(weights))
	for range lawSteps / lawRound {
		was := gain
		for range lawRound / 2 {
			reweighed(like, weights, next)
			gain = reweighed(like, next, weights)
		}
		if gain < max(least, was+1) {
			break
		}
	}
	return gain
}

// reweighed makes a step of EM, with one cell more of the usual prior, and returns the gain over that prior alone before it.
func reweighed(like, weights, next []float64) (gain float64) {
	clear(next)
	k := len(weights)
	for from := 0; from < len(like); from += k {
		row, p := like[from:from+k], 0.0
		for j, x := range row {
			p += weights[j] * x
		}
		for j, x := range row {
			next[j] += weights[j] * x / p
		}
		gain += math.Log(p / max(row[0], math.SmallestNonzeroFloat64))
	}
	next[0]++
	for j := range next {
		next[j] /= float64(len(like)/k + 1)
	}
	return gain
}

// at fills in cell i, of count y and base b.
func (e *Estimate) at(i int, y, b, noise float64, like, weights, multiples []float64) {
	other, mean, square := weights[1]*like[1], 0.0, 0.0
	for j, r := range multiples {
		p, m := weights[2+j]*like[2+j], r*b
		v := lawSpread * lawSpread * m * m
		m = max(0, m+(y-m)*v/(v+noise)) // a count
		other, mean, square = other+p, mean+p*m, square+p*(m*m+v*noise/(v+noise))
	}
	usual := weights[0] * like[0]
	e.Usual[i] = usual / (usual + other)
	if other > 0 {
		e.Mean[i] = mean / other
		e.Variance[i] = max(0, square/other-e.Mean[i]*e.Mean[i])
	}
}

// Meet multiplies the part of the cells that is not usual, which is nowhere below 0, so that it has the sums of the counts along
// every axis: pairs with little noise would else pull at the one-ways of the fit.
func Meet(part, usual, counts []float64, shape []int) {
	for range meetRounds {
		stride := len(counts)
		for _, k := range shape {
			stride /= k
			want, have := make([]float64, k), make([]float64, k)
			for i, x := range counts {
				v := i / stride % k
				want[v] += x - usual[i]
				have[v] += part[i]
			}
			for i := range part {
				v := i / stride % k
				part[i] *= min(max(want[v]/max(have[v], 1e-9), .5), 2)
			}
		}
	}
}

const meetRounds = 30
