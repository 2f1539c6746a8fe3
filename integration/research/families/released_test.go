package families

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Error is the total variation between a marginal of a fitted model and the true one, beside the distance of the noisy
// answers alone.
type Error struct {
	Clique domain.Clique
	Model  float64
	Noise  float64 // of the answers that were drawn
	Mean   float64 // expected of such answers; 0 if it is not known
	Slope  float64 // the most by which it grows with a normal number that the answers were made of; 0 if it is not known
}

// OneWays returns the errors of the released one-way marginals. The answers are taken as they were drawn, as parts
// of the released total.
func (s *Solved) OneWays(t *Table) (list []Error) {
	for _, m := range s.Measurements {
		if len(m.Clique) != 1 {
			continue
		}
		truth := t.Shares(m.Clique)
		list = append(list, Error{
			Clique: m.Clique,
			Model:  distance(truth, s.Model.Marginal(m.Clique, nil), s.Model.Total()),
			Noise:  distance(truth, m.Values, s.Total.Units),
			Mean:   float64(len(truth)) * math.Sqrt(m.Variance/(2*math.Pi)) / float64(t.rows),
			Slope:  math.Sqrt(float64(len(truth))*m.Variance) / 2 / float64(t.rows),
		})
	}
	return list
}

// distance returns the total variation between shares and counts of a total.
func distance(truth, counts []float64, total float64) float64 {
	tv := 0.0
	for i, x := range truth {
		tv += math.Abs(x-counts[i]/total) / 2
	}
	return tv
}

// Pairs returns the errors of the pairs whose residuals were released, on the merged codes that they were released
// on. The noise is the noise of the released residuals on top of the true one-way marginals, moved to the nearest table
// without negative counts: what noise makes of a pair that is looked at alone.
func (s *Solved) Pairs(t *Table) (list []Error) {
	for _, r := range released(s.Calls) {
		if len(r.clique) != 2 {
			continue
		}
		n := float64(t.rows)
		truth := counts(r.merge.Merge(r.clique, t.Sizes, t.Marginal(r.clique)))
		answer := slices.Clone(truth)
		population.Center(answer, population.Shape(r.merge.Sizes(t.Sizes), r.clique))
		for i := range answer {
			answer[i] = truth[i] - answer[i] + r.values[i]
		}
		answer = nearest(answer, n)
		for i := range truth {
			truth[i] /= n
		}
		model := merged(r.merge, r.clique, t.Sizes, s.Model.Marginal(r.clique, nil))
		list = append(list, Error{Clique: r.clique, Model: distance(truth, model, s.Model.Total()), Noise: distance(truth, answer, n)})
	}
	return list
}

// residual is everything released of one clique.
type residual struct {
	clique    domain.Clique
	merge     query.Recoding
	values    []float64 // inverse-variance mean
	precision float64
}

// released collects the released residuals of pairs and wider tables, in the order of their first release.
func released(calls []mechanism.Call) (list []*residual) {
	at := map[string]*residual{}
	for _, c := range calls {
		if c.Request.Method != mechanism.Residuals || c.Request.Merge == nil {
			continue
		}
		for _, m := range c.Release.Measurements {
			u, r := 1/m.Variance, at[m.Clique.Key()]
			if r == nil {
				r = &residual{clique: m.Clique, merge: c.Request.Merge, values: make([]float64, len(m.Values))}
				at[m.Clique.Key()], list = r, append(list, r)
			}
			for i, x := range m.Values {
				r.values[i] = (r.values[i]*r.precision + x*u) / (r.precision + u)
			}
			r.precision += u
		}
	}
	return list
}

func counts(n []int64) []float64 {
	x := make([]float64, len(n))
	for i, v := range n {
		x[i] = float64(v)
	}
	return x
}

// merged sums the cells of a table on original codes that become one.
func merged(r query.Recoding, c domain.Clique, sizes []int, table []float64) []float64 {
	to := r.Sizes(sizes)
	n, err := c.Cells(to)
	if err != nil {
		panic("families: a clique whose cells cannot be counted")
	}
	out, strides, into := make([]float64, n), c.Strides(sizes), c.Strides(to)
	for i, x := range table {
		cell := 0
		for j, a := range c {
			cell += into[j] * int(r[a][i/strides[j]%sizes[a]])
		}
		out[cell] += x
	}
	return out
}

// nearest returns the point of {x ≥ 0, Σx = total} nearest to y.
func nearest(y []float64, total float64) []float64 {
	_, high := bisect.Steps(slices.Min(y)-total, slices.Max(y), 100, func(shift float64) bool {
		sum := 0.0
		for _, x := range y {
			sum += max(x-shift, 0)
		}
		return !(sum > total)
	})
	out := make([]float64, len(y))
	for i, x := range y {
		out[i] = max(x-high, 0)
	}
	return out
}
