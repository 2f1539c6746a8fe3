package choose

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/marginal"
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
	var list []domain.Clique
	for _, t := range slices.Concat(x.Targets.Pairs, x.Targets.Triples, x.Targets.Wide) {
		if t.Own > 0 {
			list = append(list, t.Clique)
		}
	}
	return x.PredictOf(list)
}

// PredictOf returns the expected average total variation over the given tables of one to three columns.
func (x *Candidates) PredictOf(cliques []domain.Clique) float64 {
	own, sum := x.ownErrors(), 0.0
	for _, c := range cliques {
		sum += x.predictTable(c, own)
	}
	return sum / float64(len(cliques))
}

// ownErrors returns a function that says how far off a table is expected to be beyond the tables inside, counts, with and without what
// was measured of it. One of more than two columns that was not scored has the least error of the scored ones of its width, and none if
// all values of a column are pooled.
func (x *Candidates) ownErrors() func(domain.Clique) (with, without float64) {
	type pair struct{ with, without float64 }
	own, least := map[string]pair{}, map[int]pair{}
	for _, c := range x.All() {
		e := pair{c.Expected(c.Precision, x.Units), c.Expected(0, x.Units)}
		own[c.Clique.Key()] = e
		if l, ok := least[len(c.Clique)]; len(c.Clique) > 2 && (!ok || e.with < l.with) {
			least[len(c.Clique)] = pair{e.with, e.with}
		}
	}
	return func(c domain.Clique) (with, without float64) {
		e, ok := own[c.Key()]
		if !ok && !slices.ContainsFunc(c, func(a int) bool { return x.Merged.Sizes[a] == 1 }) {
			e = least[len(c)]
		}
		return e.with, e.without
	}
}

// predictTable returns the expected total variation of a table: its own error in quadrature with the errors of the tables inside, and on
// top of it what its merged values cost.
func (x *Candidates) predictTable(c domain.Clique, own func(domain.Clique) (with, without float64)) float64 {
	square, unmeasured := 0.0, 0.0
	for k := 2; k <= len(c); k++ {
		for _, part := range marginal.Subsets(c, k) {
			with, without := own(part)
			square += with * with
			unmeasured += without * without
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
