package dpfw

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// told is what the rounds tell of the table: what was selected, and the counts of its cells under the models, one round after another.
type told struct {
	blocks []query.Block
	counts []float32
}

// mostTold is the most counts that are kept, about: 80 MB with their signs.
const mostTold = 1 << 24

func (t *told) add(b query.Block, counts []float64) {
	t.blocks = append(t.blocks, b)
	for _, x := range counts {
		t.counts = append(t.counts, float32(x))
	}
}

// scale returns the b of a round's selection, see solver.Curator.
func (pl *plan) scale(b dp.Budget) float64 {
	r, charge := float64(pl.maximal.BlockRange(b.Neighbouring)), pl.each.Float()*b.Capacity
	if b.Accounting == dp.Pure {
		return r / charge
	}
	return r / math.Sqrt(8*charge)
}

// newtons is the most steps towards the likeliest count of a cell; each is b at most.
const newtons = 30

// answers returns the likeliest counts of marginals given the signs, with the mean of their variances: as the signs are drawn, a sign
// of a cell is + with the probability 1/(1 + exp(−2·(count − model)/b)), whatever was selected before. So the error of a likeliest count
// has the variance 1/I, I = Σ (1 − tanh²((count − model)/b))/b², about what Gaussian noise of the same budget has. This is known of
// marginals that were selected.
//
// Source: Cox 1975, "Partial likelihood".
func (t *told) answers(w query.Workload, fitted query.Answers, b float64) (list []query.Measurement) {
	for i, m := range w.Marginals {
		a, at := query.Measurement{Clique: m.Clique}, 0
		var signs [][]int8
		var models [][]float32
		for _, block := range t.blocks {
			if at += len(block.Signs); block.Marginal == i {
				signs, models = append(signs, block.Signs), append(models, t.counts[at-len(block.Signs):at])
			}
		}
		if len(signs) == 0 {
			continue
		}
		for c, x := range fitted[i] {
			count, information := likeliest(signs, models, c, x, b)
			a.Values = append(a.Values, count)
			a.Variance += max(1/information, leastVariance) / float64(len(fitted[i]))
		}
		list = append(list, a)
	}
	return list
}

// likeliest returns the likeliest count of a cell and its information, by Newton's method from x.
func likeliest(signs [][]int8, models [][]float32, cell int, x, b float64) (count, information float64) {
	for range newtons {
		slope := 0.0
		information = .1 // of a round: signs that are all the same tell no more than so
		for k := range signs {
			y := math.Tanh((x - float64(models[k][cell])) / b)
			slope, information = slope+float64(signs[k][cell])-y, information+1-y*y
		}
		step := min(max(slope/information, -1), 1)
		x += step * b
		if math.Abs(step) < .01/math.Sqrt(float64(len(signs))) {
			break
		}
	}
	return x, information / (b * b)
}

// test compares a model with what the rounds tell.
func (r *run) test(m *population.Model, b float64) *solver.Fit {
	list := r.told.answers(r.maximal, m.Marginals(r.maximal.Cliques()), b)
	tables := make([]solver.TableFit, len(list))
	for i, a := range list {
		tables[i] = solver.TableFit{Clique: a.Clique, Freedom: float64(len(a.Values))}
		var s miss.Sum
		for c, x := range m.Marginal(a.Clique, nil) {
			s.Add(x-a.Values[c], a.Variance+solver.Rounding)
		}
		tables[i].Square, tables[i].Units = s.Square, s.Units(tables[i].Freedom)
	}
	f := solver.NewFit(tables)
	f.Misses = miss.Of(m, r.units, list)
	return f
}
