package comparators

import (
	"math"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dense"
	"github.com/dapple-dp/dapple/solver/population"
)

// universe is a model with a logit for every record: model = softmax(theta), and its marginals.
type universe struct {
	oracle *dense.Oracle
	units  float64
	theta  []float64
	model  []float64
	counts query.Answers // of the workload, in counts
	flat   []float64     // all of counts
}

func (s *session) universe() *universe {
	plan := dense.NewPlan(s.workload.Sizes, s.workload.Cliques())
	u := &universe{oracle: dense.NewOracle(plan), units: s.released.Units}
	u.theta = dense.Forbid(make([]float64, plan.Len()), s.workload.Sizes, s.never)
	u.model = make([]float64, plan.Len())
	u.counts, u.flat = plan.NewAnswers()
	u.evaluate()
	return u
}

// evaluate makes the model of theta, and its marginals.
func (u *universe) evaluate() {
	dense.Softmax(u.theta, u.model)
	u.oracle.Eval(u.model, u.counts)
	for i := range u.flat {
		u.flat[i] *= u.units
	}
}

// target is a cell of the workload and the count that it shall have.
type target struct {
	marginal, cell int
	count          float64
}

// leastProbability keeps logarithms finite if a count or a model's answer is 0 or everything.
const leastProbability = 1e-6

// project moves the model to the targets by entropy projections on the worst of them, at most steps times, until all
// are within tolerance, counts. It leaves the model evaluated.
//
// Source: Liu, Vietri, Wu 2021, "Iterative Methods for Private Synthetic Data", Algorithm 2.
func (u *universe) project(targets []target, tolerance float64, steps int) {
	for range steps {
		worst, at := tolerance, -1
		for i, t := range targets {
			if d := math.Abs(u.counts[t.marginal][t.cell] - t.count); d > worst {
				worst, at = d, i
			}
		}
		if at < 0 {
			return
		}
		t := targets[at]
		want, have := clamp(t.count/u.units), clamp(u.counts[t.marginal][t.cell]/u.units)
		u.oracle.AddCell(t.marginal, t.cell, math.Log(want/(1-want))-math.Log(have/(1-have)), u.theta)
		u.evaluate()
	}
}

func clamp(p float64) float64 { return min(max(p, leastProbability), 1-leastProbability) }

func (u *universe) result() *population.Model {
	return &population.Model{Weights: append([]float64(nil), u.model...)}
}
