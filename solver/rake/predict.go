package rake

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	// predictedScale: model errors are 1.15 to 1.3 times what water-filling foresees (adult7, adult14).
	predictedScale = 1.2
	// pooledError is the total variation that spreading a pooled mass by noisy shares costs, of that mass.
	pooledError = .4
)

// predict returns the expected average total variation between model and data over the maximal tables of
// the workload. It rests on released values alone, so it costs nothing; within 15 % on adult7 and adult14
// at ε = .3, 1, 3. NaN where there is nothing to predict from: the workload has no pairs.
//
// A triple that was not scored is given the least error of its own among those that were. A table in which
// all values of an attribute are pooled has none: it was not looked at, and its pairs and pools are all.
func (r *run) predict() float64 {
	own, least := map[string]float64{}, math.Inf(1)
	for _, c := range r.pairs {
		own[c.clique.Key()] = c.error(c.precision)
	}
	for _, c := range r.triples {
		e := c.error(c.precision)
		own[c.clique.Key()], least = e, min(least, e)
	}
	for _, c := range r.unscored {
		own[c.clique.Key()] = least
	}
	sum, tables := 0.0, 0.0
	for _, list := range [][]target{r.targets.pairs, r.targets.triples} {
		for _, t := range list {
			if t.own > 0 {
				sum += r.predictTable(t.clique, own[t.clique.Key()])
				tables++
			}
		}
	}
	return sum / tables
}

// predictTable returns the expected total variation of a table with the given error of its own, counts: in
// quadrature with those of the pairs inside it, and on top of it what its merged values cost.
func (r *run) predictTable(c domain.Clique, own float64) float64 {
	square := own * own
	if len(c) > 2 {
		for _, pair := range subsets(c, 2) {
			if p := r.byPair[pair.Key()]; p != nil {
				e := p.error(p.precision)
				square += e * e
			}
		}
	}
	pooled := 0.0
	for _, a := range c {
		pooled += r.pooled(a)
	}
	return min(1, predictedScale*math.Sqrt(square)/r.total.Units+pooledError*pooled)
}

// pooled returns the share of attribute a whose values were merged, or the noise of those values as a share of
// the units where that is less: few values that noise drowns are not known worse than their noise.
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
	return min(share, values*r.ones[a].sigma/r.total.Units)
}
