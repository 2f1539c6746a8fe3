package rake

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Constants of predictions. They were chosen on ten tables of 6 to 18 columns and 4,000 to 50,000 rows, ε = .1 to 10.
const (
	// predictedScale: errors of models are about so many times what screenings, noise and priors make of each table alone, once
	// measuring has halved the squared error; what nobody measured is as far off as the screening says …
	predictedScale, unmeasuredScale, fullyMeasured = 1.35, 1.22, 2
	// … unless its attributes have few codes. The tables around it then tell nearly as much: 2×2×2 cells err by .8.
	centredScale = .85
	// pooledError is the total variation that spreading a pooled mass by smoothed shares costs, of that mass.
	pooledError = .13
	// Of the noise of one-way answers, in variance, smoothing leaves this power of the part that it did not remove, and
	// of that at least so much.
	leastNoiseLeft, noiseLeftPower = .2, 1.25
)

// predict returns the expected average total variation between model and data over the maximal tables of
// the workload. It rests on released values alone, so it costs nothing. NaN if there is nothing to predict from: the
// workload has no pairs.
//
// A triple that was not scored is given the least error of its own among those that were. A table in which
// all values of an attribute are pooled has none: it was not screened, and its pairs and pools are all.
func (r *run) predict() float64 {
	own, unmeasured, _ := r.ownErrors()
	sum, tables := 0.0, 0.0
	for _, list := range [][]target{r.targets.pairs, r.targets.triples} {
		for _, t := range list {
			if t.own > 0 {
				sum += r.predictTable(t.clique, own[t.clique.Key()], unmeasured[t.clique.Key()])
				tables++
			}
		}
	}
	return sum / tables
}

// ownErrors returns the expected error of every table that is its own, counts, with and without what was measured of it,
// and the least of the scored triples, +Inf if there is none.
func (r *run) ownErrors() (own, unmeasured map[string]float64, least float64) {
	own, unmeasured, least = map[string]float64{}, map[string]float64{}, math.Inf(1)
	for _, c := range r.pairs {
		own[c.clique.Key()], unmeasured[c.clique.Key()] = c.expected(c.precision, r.total.Units), c.expected(0, r.total.Units)
	}
	for _, c := range r.triples {
		e := c.expected(c.precision, r.total.Units)
		own[c.clique.Key()], least = e, min(least, e)
		unmeasured[c.clique.Key()] = c.expected(0, r.total.Units)
	}
	for _, c := range r.unscored {
		own[c.clique.Key()], unmeasured[c.clique.Key()] = least, least
	}
	return own, unmeasured, least
}

// predictTable returns the expected total variation of a table with the given error of its own, counts: in
// quadrature with those of the pairs and one-ways inside it, and on top of it what its merged values cost.
func (r *run) predictTable(c domain.Clique, own, unmeasuredOwn float64) float64 {
	square, unmeasured := own*own, unmeasuredOwn*unmeasuredOwn
	if len(c) > 2 {
		for _, pair := range subsets(c, 2) {
			if p := r.byPair[pair.Key()]; p != nil {
				e, before := p.expected(p.precision, r.total.Units), p.expected(0, r.total.Units)
				square += e * e
				unmeasured += before * before
			}
		}
	}
	measured := 0.0
	if unmeasured > 0 {
		measured = 1 - square/unmeasured
	}
	kept, centred := 1.0, 0.0 // the part of the records that no pool of c holds
	for _, a := range c {
		e := r.oneWayError(a)
		square += e * e
		kept *= 1 - r.pooled(a)
		if k := r.merged.sizes[a]; k > 1 {
			centred += math.Log(1-1/float64(k)) / float64(len(c))
		}
	}
	scale := (unmeasuredScale + (predictedScale-unmeasuredScale)*min(1, fullyMeasured*measured)) * min(1, math.Exp(centred)/centredScale)
	return min(1, scale*math.Sqrt(square)/r.total.Units+pooledError*(1-kept))
}

// oneWayError returns the error of the estimate of attribute a, half its expected L1 distance in counts: that of the noise
// that smoothing has left, and of values that noise drowns their own count. What answer and estimate differ by is
// noise nearly all, and shrinkage took out more of it than that where it is not all or nothing: hence the power.
// The answers of a forecast have no noise; it is taken to lose what the best shrinkage to the mean removes.
func (r *run) oneWayError(a int) float64 {
	o := r.oneWays[a]
	variance := o.spread
	for _, m := range r.released {
		if m.Clique[0] == a {
			removed := 0.0
			for v, x := range m.Values {
				removed += (x - o.counts[v]) * (x - o.counts[v]) / float64(len(m.Values))
			}
			if r.forecast != nil && !o.learned {
				removed = variance * variance / (spreadOf(m.Values) + variance)
			}
			variance *= math.Pow(max(1-removed/variance, leastNoiseLeft), noiseLeftPower)
		}
	}
	sum, sigma := 0.0, math.Sqrt(variance*(1-1/float64(len(o.counts)))) // of centred noise
	for _, n := range o.counts {
		sum += .4 * min(sigma, 2*max(n, 0))
	}
	return sum
}

// spreadOf returns the mean squared distance of values from their mean.
func spreadOf(values []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range values {
		mean += x / float64(len(values))
	}
	for _, x := range values {
		sum += (x - mean) * (x - mean) / float64(len(values))
	}
	return sum
}

// pooled returns the share of attribute a whose values were merged, or the noise of those values as a share of
// the units if that is less: few values that noise drowns are not known worse than their noise.
func (r *run) pooled(a int) float64 {
	members := make([]int, r.merged.sizes[a])
	for _, c := range r.merged.codes[a] {
		members[c]++
	}
	share, values := 0.0, 0.0
	for c, n := range members {
		if n > 1 {
			share += r.merged.base[a][c]
			values += float64(n)
		}
	}
	return min(share, values*r.oneWays[a].sigma/r.total.Units)
}
