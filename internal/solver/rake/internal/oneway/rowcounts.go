package oneway

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/population"
)

const (
	tailShows  = 4   // standard deviations of its noise from which a bin of the number of rows is known by itself
	tailAnchor = 4   // bins before the tail that it continues …
	anchorFits = .15 // … within this part of each
	infinity   = 1.7 // times the largest number of rows, at which a law is taken to end that goes on for ever
)

// Noise of the numbers of rows is multiplied by them. Three times the precision of other one-way tables, bought with a
// larger share of the budget, takes half to two thirds off the error of the total number of rows of three made-up tables of
// 50,000 people (3.6, 1.5 and .5 % to 1.3, .65 and .25 %), and leaves pairs of columns of the rows as they are. Bins are
// merged as if it were no more precise: finer ones cost such pairs a tenth.
const (
	RowCountsShare      = 1.2
	rowCountsPrecision  = 3
	rareSigmasRowCounts = 2 * rareSigmasOrdered
)

// rowCounts returns the estimate of the counts of people by their number of rows, whose bins lie between cuts. The last
// one holds all with so many rows and more. Counts sum to the number of people.
//
// A person in the last bins has a thousand rows, or a million: what noise alone puts there could outweigh all other
// people. Behind the last bin that shows above its noise the counts therefore follow laws of few parameters, which
// continue the bins before and fit all noisy counts of the tail at once. Of 2,000 people with noise of 20 and up to 1,000
// rows, the total number of rows is off by 5 to 10 % in the root mean square for geometric and log-normal numbers, by 12 %
// for a power law of finite mean and infinite variance.
func rowCounts(counts []float64, sigma float64, cuts []int64) []float64 {
	units := summation.Pairwise(counts)
	out, from := smooth(counts, sigma), len(counts)
	for from > 1 && counts[from-1] < tailShows*sigma {
		from--
	}
	law := tailCounts(counts, sigma, cuts, from)
	rest := max(0, units-summation.Pairwise(law))
	out = append(population.Nearest(out[:from], rest), law...)
	ScaleTo(out, units)
	return out
}

// tailCounts returns the counts of the bins from the given one on: the mean over laws, by their likelihood, of the counts
// that each expects.
func tailCounts(counts []float64, sigma float64, cuts []int64, from int) []float64 {
	first := from
	for first > max(from-tailAnchor, 0) && cuts[first-1] > 0 && counts[first-1] >= tailShows*sigma {
		first--
	}
	n := len(counts) - first
	tail := make([]float64, len(counts)-from)
	if len(tail) == 0 || !(sigma > 0) {
		copy(tail, counts[from:])
		return tail
	}
	var ratio, width, precision, expected = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		b, fits := first+i, 0.0
		lo, hi := float64(cuts[b]), float64(cuts[b+1])
		if b == len(counts)-1 {
			hi = infinity * lo
		}
		if b < from {
			fits = anchorFits * counts[b]
		}
		ratio[i], width[i], precision[i] = (lo+hi-1)/2/float64(cuts[from]), hi-lo, 1/(sigma*sigma+fits*fits)
	}
	// likelihood fits one law by the number of people that it holds for, and leaves what it expects. It returns χ².
	likelihood := func(slope, bend, decay float64) (chi2 float64) {
		cross, square := 0.0, 0.0
		for i, m := range ratio {
			x := math.Log(m)
			expected[i] = width[i] * math.Exp(min(slope*x-bend*x*x-decay*(m-1), 500))
			cross += float64(expected[i] * counts[first+i] * precision[i])
			square += float64(expected[i] * expected[i] * precision[i])
		}
		scale := max(cross/square, 0)
		for i := range expected {
			expected[i] *= scale
			d := counts[first+i] - expected[i]
			chi2 += float64(d * d * precision[i])
		}
		return chi2
	}
	// Logarithms of likelihoods are relative to the largest so far.
	best, all := math.Inf(-1), 0.0
	laws(func(slope, bend, decay float64) {
		log := -likelihood(slope, bend, decay) / 2
		if log > best {
			scale := math.Exp(best - log)
			all *= scale
			for i := range tail {
				tail[i] *= scale
			}
			best = log
		}
		weight := math.Exp(log - best)
		all += weight
		for i := range tail {
			tail[i] += float64(weight * expected[from-first+i])
		}
	})
	for i := range tail {
		tail[i] /= all
	}
	return tail
}

// laws calls visit with densities of the number of rows m = x times the first one of a tail, exp(slope·log x −
// bend·log² x − decay·(x−1)), power laws and those that fall faster and faster. All fall faster than 1/m² far out: of the others most rows would be those
// of the few people with the most.
func laws(visit func(slope, bend, decay float64)) {
	const (
		heaviest, far = -2.1, 7.
		least, most   = 1. / 32, 8.
	)
	for slope := -8.; slope <= 0; slope += .25 {
		if slope <= heaviest {
			visit(slope, 0, 0)
		}
		for c := least; c <= most; c *= 4 {
			if slope-2*c*math.Log(far) <= heaviest {
				visit(slope, c, 0)
			}
			if slope-c*far <= heaviest {
				visit(slope, 0, c)
			}
		}
	}
}

// RowsAttribute returns the attribute that holds the number of a person's rows; -1 without one.
func RowsAttribute(d *domain.Domain) int {
	if d != nil && d.Events != nil {
		return d.Events.Columns
	}
	return -1
}

// AgreeOnFirstRows gives the gap and all that is remembered one share of first rows, in which they are NULL together. Each of
// their tables has an estimate of it, and so have numbers of rows: a person with n of them holds 1/n. Tables that differ there
// have no common fit.
func (t *Tables) AgreeOnFirstRows(covered []bool) {
	d := t.domain
	if !d.Ordered() {
		return
	}
	e := d.Events
	list := []int{e.Gap()}
	for i := range e.Sequence.Previous {
		list = append(list, e.Before(i))
	}
	sum, precision := 0.0, 1e-9
	add := func(share, variance float64) {
		sum, precision = sum+share/variance, precision+1/variance
	}
	for _, a := range list {
		if one := t.List[a]; covered[a] && one.Spread > 0 && !one.Learned {
			add(one.Counts[len(one.Counts)-1], one.Spread)
		}
	}
	if rows := t.List[e.Columns]; rows.Spread > 0 {
		share, variance := 0.0, 0.0
		for b, n := range population.Nearest(rows.Counts, t.total.Units) {
			x := FirstShare(d.Attributes[e.Columns].Cuts, b)
			share, variance = share+n*x, variance+rows.Spread*x*x
		}
		add(share, variance)
	}
	if sum <= 0 { // nothing was measured
		return
	}
	first := min(sum/precision, t.total.Units)
	for _, a := range list {
		one := &t.List[a]
		one.Counts = population.Nearest(one.Counts, t.total.Units)
		last := len(one.Counts) - 1
		others := t.total.Units - one.Counts[last]
		for v := range last {
			if others > 0 {
				one.Counts[v] *= (t.total.Units - first) / others
			}
		}
		if others > 0 {
			one.Counts[last] = first
		}
	}
}

// FirstShare returns the mean of 1/n over the numbers of rows of a bin, if their logarithms are alike likely; 1 of nobody's, as
// that is a row that follows none.
func FirstShare(cuts []int64, bin int) float64 {
	last := cuts[bin+1] - 1
	if bin == len(cuts)-2 {
		last++
	}
	sum, weight := 0.0, 0.0
	for n := max(cuts[bin], 1); n <= max(last, 1); n++ {
		x := 1 / float64(n)
		sum, weight = sum+float64(x*x), weight+x
	}
	return sum / weight
}
