package rivals

import (
	"math"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// universe is a model with a logit for every record: model = softmax(theta), and its marginals.
type universe struct {
	oracle *dense.Oracle
	asked  []query.Marginal
	units  float64
	theta  []float64
	model  []float64
	counts query.Answers // of the workload, in counts
	flat   []float64     // all of counts
}

func (s *session) universe() *universe {
	plan := dense.PlanOf(s.workload)
	u := &universe{oracle: dense.NewOracle(plan), asked: s.workload.Marginals, units: s.released.Units}
	u.theta = make([]float64, plan.Len())
	copy(u.theta, s.logits)
	dense.Forbid(u.theta, s.workload.Sizes, s.never)
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
// are within tolerance, counts. It leaves the model evaluated. For a query of two values, such as a cell, a projection
// is exact; of one with more values it is shorter, since no law between the same bounds has a larger variance.
//
// Source: Liu, Vietri, Wu 2021, "Iterative Methods for Private Synthetic Data", Algorithm 2.
func (u *universe) project(targets []target, tolerance float64, steps int) {
	for range steps {
		worst, at := tolerance, -1
		for i, t := range targets {
			if d := math.Abs(u.counts[t.marginal][t.cell] - t.count); d > worst && u.canMove(t) {
				worst, at = d, i
			}
		}
		if at < 0 {
			return
		}
		t := targets[at]
		least, most := u.asked[t.marginal].Bounds(t.cell)
		part := func(count float64) float64 { return clamp((count/u.units - least) / (most - least)) }
		want, have := part(t.count), part(u.counts[t.marginal][t.cell])
		u.oracle.AddCell(t.marginal, t.cell, (math.Log(want/(1-want))-math.Log(have/(1-have)))/(most-least), u.theta)
		u.evaluate()
	}
}

// canMove reports whether records of the model have different values of the target's query. A model that keeps to some
// records may have none in a cell.
func (u *universe) canMove(t target) bool {
	least, most := u.asked[t.marginal].Bounds(t.cell)
	at := u.counts[t.marginal][t.cell] / u.units
	return at > least && at < most
}

func clamp(p float64) float64 { return min(max(p, leastProbability), 1-leastProbability) }

func (u *universe) result() *population.Model {
	return &population.Model{Weights: append([]float64(nil), u.model...)}
}
