package rivals

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// GEM fits a generator network in place of the universe: fixed random inputs go through two hidden layers to one
// distribution per attribute, and a marginal is answered by the mean of the products of these distributions.
//
// Source: Liu, Vietri, Wu 2021, "Iterative Methods for Private Synthetic Data: Unifying Framework and New Methods".
// Events: as Adaptive.
// Cost: (30·T + 90) passes over 300 inputs and the cells of the measured marginals; no universe, unless it is small
// enough to write the model down.
var gem = Algorithm{
	Name: "gem", Summary: "a generator network fitted to the worst marginals, one measured a round",
	Measures: true,
	schedule: func(s *setup) []solver.Access {
		return s.selectThenMeasure(dp.BlockExponential, s.adaptiveRounds(), 1, 9)
	},
	run: runGEM,
}

const (
	gemSteps      = 30   // of Adam in each round
	gemFinalSteps = 90   // after the last one, at a quarter of the rate
	gemRate       = .003 // of Adam

	gemUniverse = 1 << 20 // records: up to here the model is written down record by record, beyond as a sample
)

func runGEM(s *session) (*population.Model, error) {
	rounds := s.adaptiveRounds()
	choose, measure := s.each(rounds, 1, 9)
	g := newGenerator(s.workload.Sizes, s.rng)
	counts := query.NewAnswers(s.workload)
	for t := 1; t <= rounds; t++ {
		for i, m := range s.workload.Marginals {
			g.answer(m.Clique, counts[i])
			for c := range counts[i] {
				counts[i][c] *= s.released.Units
			}
		}
		block, err := s.curator.SelectBlock(stageSelect, t, s.workload, counts, choose)
		if err != nil {
			return nil, err
		}
		if _, err := s.measure(t, block.Marginal, measure); err != nil {
			return nil, err
		}
		g.fit(s.measured, s.released.Units, gemSteps, gemRate)
		s.finished(t, rounds)
	}
	g.fit(s.measured, s.released.Units, gemFinalSteps, gemRate/4)
	return s.generated(g), nil
}

// generated writes the generator's distribution down: over the universe if that is small, else as a sample.
func (s *session) generated(g *generator) *population.Model {
	if dense.Cells(g.sizes) <= gemUniverse {
		all, k := make(domain.Clique, len(g.sizes)), 1
		for a, n := range g.sizes {
			all[a] = a
			k *= n
		}
		weights := make([]float64, k)
		g.answer(all, weights)
		s.never.Cells(all, g.sizes, func(z int) { weights[z] = 0 })
		return &population.Model{Weights: weights}
	}
	return s.collected(sampled, func(record []domain.Code) { g.draw(record, s.rng) })
}

// fit makes steps of Adam on ½·Σ (answer − count/units)² over the measured cells.
func (g *generator) fit(measured []query.Measurement, units float64, steps int, rate float64) {
	for range steps {
		clear(g.outputGradient)
		for _, m := range measured {
			d := make([]float64, len(m.Values))
			g.answer(m.Clique, d)
			for c, y := range m.Values {
				d[c] -= y / units
			}
			g.pullBack(m.Clique, d)
		}
		g.backward()
		g.adam.step(g.parameters, g.gradient, rate)
		g.forward()
	}
}

// adam is the optimiser of Kingma and Ba 2015 with its default decays.
type adam struct {
	mean, square []float64
	t            int
}

func (o *adam) step(x, gradient []float64, rate float64) {
	const first, second, floor = .9, .999, 1e-8
	o.t++
	rate *= math.Sqrt(1-math.Pow(second, float64(o.t))) / (1 - math.Pow(first, float64(o.t)))
	for i, d := range gradient {
		o.mean[i] += (1 - first) * (d - o.mean[i])
		o.square[i] += (1 - second) * (d*d - o.square[i])
		x[i] -= rate * o.mean[i] / (math.Sqrt(o.square[i]) + floor)
	}
}
