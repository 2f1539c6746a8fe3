package dpam

import (
	"errors"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dense"
	"github.com/dapple-dp/dapple/internal/summation"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/population"
)

// BytesPerCell is the memory of a solve for each cell of the universe: seven vectors and buffers, and
// half as much again for anyone who holds the private counts and uses the model.
const BytesPerCell = 96

// stage is the name of the one access.
const stage = "measure"

// Curator is what DPAM asks of private data; solver.Curator says what each method does.
type Curator interface {
	Total(stage string, share dp.Share) (query.Total, error)
	Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error)
}

// Accesses plans the one release of all maximal marginals. It fails if the universe is too large
// (*dense.ErrUniverse) and if the workload is empty.
func Accesses(p solver.Problem) ([]solver.Access, error) {
	w, err := measured(p)
	if err != nil {
		return nil, err
	}
	_, cells, err := w.Cells()
	if err != nil {
		return nil, fmt.Errorf("dpam: %w", err)
	}
	kind := dp.DiscreteGaussian
	if p.Delta == 0 {
		kind = dp.DiscreteLaplace
	}
	return []solver.Access{{
		Stage: stage, Kind: kind, Count: 1, Share: dp.ShareOf(1, 1),
		Marginals: len(w.Marginals), Precision: precision(w), Coordinates: cells,
	}}, nil
}

// Solve releases the maximal marginals of the workload and returns the fitted model, whose weights sum
// to the number of units, released or public. It fails if Accesses does and if the curator does.
func Solve(p solver.Problem, c Curator) (*solver.Result, error) {
	w, err := measured(p)
	if err != nil {
		return nil, err
	}
	ms, err := c.Measure(stage, 1, w.Cliques(), precision(w), dp.ShareOf(1, 1))
	if err != nil {
		return nil, fmt.Errorf("dpam: %w", err)
	}
	total := TotalOf(ms)
	if p.Neighbouring == dp.Replace {
		if total, err = c.Total("total", dp.ShareOf(0, 1)); err != nil {
			return nil, fmt.Errorf("dpam: %w", err)
		}
		total.Units = max(1, total.Units)
	}
	o := dense.NewOracle(dense.NewPlan(w.Sizes, w.Cliques()))
	s := Settings{MaxIterations: p.Rounds, Seed: p.Seed, Progress: p.Progress}
	impossible := p.Domain.Exclusions()
	if len(impossible) > 0 {
		s.Prior = dense.Uniform(w.Sizes, impossible)
	}
	fit, err := Fit(o, ms, total.Units, s)
	if err != nil {
		return nil, err
	}
	for z := range fit.Weights {
		fit.Weights[z] *= total.Units
	}
	return &solver.Result{
		Model:        &population.Model{Sizes: w.Sizes, Weights: fit.Weights, StructuralZeros: impossible},
		Total:        total,
		Measurements: ms,
		RMSE:         fit.RMSE,
		Iterations:   fit.Iterations,
		Status:       fit.Status,
	}, nil
}

// measured returns the marginals worth releasing: those that no other contains.
func measured(p solver.Problem) (query.Workload, error) {
	w := p.Workload.Maximal()
	if len(w.Marginals) == 0 {
		return w, errors.New("dpam: the workload has no marginals")
	}
	if _, err := dense.CheckUniverse(w.Sizes, BytesPerCell, p.Memory()); err != nil {
		return w, fmt.Errorf("dpam: %w", err)
	}
	return w, nil
}

// precision returns w_A^(2/3) for each marginal, which minimises Σ w_A·σ_A for a given Σ 1/σ_A²; nil
// where all weights are equal.
func precision(w query.Workload) []float64 {
	out, equal := make([]float64, len(w.Marginals)), true
	for i, m := range w.Marginals {
		out[i] = math.Pow(m.Weight, 2.0/3)
		equal = equal && m.Weight == w.Marginals[0].Weight
	}
	if equal {
		return nil
	}
	return out
}

// TotalOf estimates the number of units from measurements: the mean of the tables' sums, each weighted
// by its inverse variance, at least 1. It is post-processing and costs nothing.
func TotalOf(ms []query.Measurement) query.Total {
	sum, weight := 0.0, 0.0
	for _, m := range ms {
		w := 1 / (m.Variance * float64(len(m.Values)))
		sum += w * summation.Long(m.Values)
		weight += w
	}
	return query.Total{Units: max(1, sum/weight), Variance: 1 / weight}
}
