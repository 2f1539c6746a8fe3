package choose

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

// Predict returns the expected average total variation between model and data over the maximal tables of
// the workload. It rests on released values alone, so it costs nothing. NaN if there is nothing to predict from: the
// workload has no pairs.
//
// A triple that was not scored is given the least error of its own among those that were. A table in which
// all values of an attribute are pooled has none: it was not screened, and its pairs and pools are all.
func (x *Candidates) Predict() float64 {
	own, unmeasured, _ := x.ownErrors()
	sum, tables := 0.0, 0.0
	for _, list := range [][]Target{x.Targets.Pairs, x.Targets.Triples} {
		for _, t := range list {
			if t.Own > 0 {
				sum += x.predictTable(t.Clique, own[t.Clique.Key()], unmeasured[t.Clique.Key()])
				tables++
			}
		}
	}
	return sum / tables
}

// PredictOf returns the expected average total variation over the given tables of one to three columns.
func (x *Candidates) PredictOf(cliques []domain.Clique) float64 {
	own, unmeasured, least := x.ownErrors()
	sum := 0.0
	for _, c := range cliques {
		key := c.Key()
		if _, ok := own[key]; !ok && len(c) == 3 && !math.IsInf(least, 1) {
			own[key], unmeasured[key] = least, least
		}
		sum += x.predictTable(c, own[key], unmeasured[key])
	}
	return sum / float64(len(cliques))
}

// ownErrors returns the expected error of every table that is its own, counts, with and without what was measured of it,
// and the least of the scored triples, +Inf without one.
func (x *Candidates) ownErrors() (own, unmeasured map[string]float64, least float64) {
	own, unmeasured, least = map[string]float64{}, map[string]float64{}, math.Inf(1)
	for _, c := range x.Pairs {
		own[c.Clique.Key()], unmeasured[c.Clique.Key()] = c.Expected(c.Precision, x.Units), c.Expected(0, x.Units)
	}
	for _, c := range x.Triples {
		e := c.Expected(c.Precision, x.Units)
		own[c.Clique.Key()], least = e, min(least, e)
		unmeasured[c.Clique.Key()] = c.Expected(0, x.Units)
	}
	for _, c := range x.unscored {
		own[c.Clique.Key()], unmeasured[c.Clique.Key()] = least, least
	}
	return own, unmeasured, least
}

// predictTable returns the expected total variation of a table with the given error of its own, counts: in
// quadrature with the errors of the pairs and one-ways inside it, and on top of it what its merged values cost.
func (x *Candidates) predictTable(c domain.Clique, own, unmeasuredOwn float64) float64 {
	square, unmeasured := own*own, unmeasuredOwn*unmeasuredOwn
	if len(c) > 2 {
		for _, pair := range Subsets(c, 2) {
			if p := x.ByPair[pair.Key()]; p != nil {
				e, before := p.Expected(p.Precision, x.Units), p.Expected(0, x.Units)
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
		e := x.OneWayError(a)
		square += e * e
		kept *= 1 - x.pooled(a)
		if k := x.Merged.Sizes[a]; k > 1 {
			centred += math.Log(1-1/float64(k)) / float64(len(c))
		}
	}
	scale := (unmeasuredScale + (predictedScale-unmeasuredScale)*min(1, fullyMeasured*measured)) * min(1, math.Exp(centred)/centredScale)
	return min(1, scale*math.Sqrt(square)/x.Units+pooledError*(1-kept))
}

// OneWayError returns the error of the estimate of attribute a, half its expected L1 distance in counts: the error of the noise
// that smoothing has left, and of values that noise drowns their own count. What answer and estimate differ by is
// noise nearly all, and shrinkage took out more of it than that where it is not all or nothing: hence the power.
// The answers of a forecast have no noise; it is taken to lose what the best shrinkage to the mean removes.
func (x *Candidates) OneWayError(a int) float64 {
	o := x.Ones.List[a]
	variance := o.Spread
	for _, m := range x.Ones.Released {
		if m.Clique[0] == a {
			removed := 0.0
			for v, y := range m.Values {
				removed += (y - o.Counts[v]) * (y - o.Counts[v]) / float64(len(m.Values))
			}
			if x.expected && !o.Learned {
				removed = variance * variance / (spreadOf(m.Values) + variance)
			}
			variance *= math.Pow(max(1-removed/variance, leastNoiseLeft), noiseLeftPower)
		}
	}
	sum, sigma := 0.0, math.Sqrt(variance*(1-1/float64(len(o.Counts)))) // of centred noise
	for _, n := range o.Counts {
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
func (x *Candidates) pooled(a int) float64 {
	members := make([]int, x.Merged.Sizes[a])
	for _, c := range x.Merged.Codes[a] {
		members[c]++
	}
	share, values := 0.0, 0.0
	for c, n := range members {
		if n > 1 {
			share += x.Merged.Base[a][c]
			values += float64(n)
		}
	}
	return min(share, values*x.Ones.List[a].Sigma/x.Units)
}
