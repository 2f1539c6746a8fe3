package dpam

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// BytesPerCell is the memory of a solve for each cell of the universe: eight vectors and buffers, and
// half as much again for anyone who holds the private counts and uses the model.
const BytesPerCell = 96

// Settings are what a request may choose. The zero value is the default.
type Settings struct {
	// Iterations is the largest number of steps of the fit, which costs time alone; 0: Rounds of the problem, or 600.
	Iterations int `json:"iterations,omitempty"`
}

// Method names DPAM with settings: see dpfw.Method.
func Method(s Settings) string { return solver.Named("dpam", s) }

// The names of the accesses.
const (
	stage      = "measure"
	stageTotal = "total"
)

// curator is what DPAM asks of private data; solver.Curator says what each method does.
type curator interface {
	Total(stage string, share dp.Share) (query.Total, error)
	Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error)
	MeasureQueries(stage string, round int, w query.Workload, share dp.Share) ([]query.Measurement, error)
}

// Accesses plans the one release of all maximal marginals and linear queries. It fails if the universe is too large
// (*dense.ErrUniverse), if the workload is empty, and on linear queries with δ = 0.
func Accesses(p solver.Problem) ([]solver.Access, error) {
	w, err := measured(p)
	if err != nil {
		return nil, err
	}
	_, cells, err := w.Cells()
	if err != nil {
		return nil, fmt.Errorf("dpam: %w", err)
	}
	if w.Linear() > 0 {
		if p.Delta == 0 {
			return nil, errors.New("dpam: linear queries are released with Gaussian noise, which needs a delta above 0; dpfw also runs at delta = 0")
		}
		total, all := shares(p)
		var out []solver.Access
		if total.Num > 0 {
			out = append(out, solver.Access{Stage: stageTotal, Kind: dp.DiscreteGaussian, Count: 1, Share: total, Coordinates: 1})
		}
		return append(out, solver.Access{
			Stage: stage, Kind: dp.DiscreteGaussian, Count: 1, Share: all, Marginals: len(w.Marginals), Coordinates: cells, Adaptive: true,
		}), nil
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
func Solve(p solver.Problem, c curator) (*solver.Result, error) { return Settings{}.Solve(p, c) }

// Solve is the same with settings.
func (s Settings) Solve(p solver.Problem, c curator) (*solver.Result, error) {
	w, err := measured(p)
	if err != nil {
		return nil, err
	}
	ms, total, err := release(p, w, c)
	if err != nil {
		return nil, fmt.Errorf("dpam: %w", err)
	}
	o := dense.NewOracle(dense.PlanOf(w))
	impossible := p.Domain.Exclusions()
	of := FitSettings{MaxIterations: cmp.Or(s.Iterations, p.Rounds), Seed: p.Seed, Progress: p.Progress, Prior: Independent(w.Sizes, ms, impossible)}
	if p.Public != nil {
		if of.Public, err = p.Public.Histogram(w.Sizes); err != nil {
			return nil, fmt.Errorf("dpam: %w", err)
		}
	}
	fit, err := Fit(o, ms, total.Units, of)
	if err != nil {
		return nil, err
	}
	fit, tested := fit.settled(o, ms, total.Units)
	for z := range fit.Weights {
		fit.Weights[z] *= total.Units
	}
	model := &population.Model{Sizes: w.Sizes, Weights: fit.Weights, StructuralZeros: impossible}
	return &solver.Result{
		Model:        model,
		Total:        total,
		Measurements: marginals(ms),
		Answers:      answers(model, ms),
		RMSE:         fit.RMSE,
		Fit:          tested,
		Iterations:   fit.Iterations,
		Status:       tested.StatusOf(solver.Converged),
		Public:       p.Public.Use(fit.Public),
	}, nil
}

// totalPercent is what the number of units gets of the budget under AddRemove if the release has linear queries, from
// which it cannot be estimated.
const totalPercent = 2

// shares returns the shares of the number of units and of the release of a workload with linear queries.
func shares(p solver.Problem) (total, all dp.Share) {
	if p.Neighbouring == dp.Replace {
		return dp.ShareOf(0, 100), dp.ShareOf(100, 100)
	}
	return dp.ShareOf(totalPercent, 100), dp.ShareOf(100-totalPercent, 100)
}

// release measures the workload and the number of units.
func release(p solver.Problem, w query.Workload, c curator) (ms []query.Measurement, total query.Total, err error) {
	linear, part, all := w.Linear() > 0, dp.ShareOf(0, 1), dp.ShareOf(1, 1)
	if linear {
		part, all = shares(p)
	}
	if linear || p.Neighbouring == dp.Replace {
		if total, err = c.Total(stageTotal, part); err != nil {
			return nil, total, err
		}
	}
	if linear {
		ms, err = c.MeasureQueries(stage, 1, w, all)
	} else {
		ms, err = c.Measure(stage, 1, w.Cliques(), precision(w), all)
	}
	if err == nil && !linear && p.Neighbouring == dp.AddRemove {
		total = totalOf(ms)
	}
	total.Units = max(1, total.Units)
	return ms, total, err
}

// Independent returns the distribution of independent columns with the measured sums of single columns, each a mean of answers
// weighted by their inverse variance, at least leastValue of even ones. A sum of many cells has little noise beside what stopping
// early leaves of it, from a start that is even.
func Independent(sizes []int, ms []query.Measurement, impossible domain.Exclusions) []float64 {
	prior := dense.Uniform(sizes, impossible)
	for a, k := range sizes {
		counts := make([]float64, k)
		for _, m := range marginals(ms) {
			if m.Clique.Contains(domain.Clique{a}) {
				onto := population.NewProjection(sizes, m.Clique, domain.Clique{a})
				for v, x := range onto.Sum(make([]float64, k), m.Values) {
					counts[v] += x / (m.Variance * float64(len(m.Values)/k))
				}
			}
		}
		sum := summation.Long(counts)
		if !(sum > 0) {
			continue
		}
		for v, x := range population.Nearest(counts, sum) {
			counts[v] = max(x/sum, leastValue/float64(k))
		}
		population.NewProjection(sizes, domain.All(len(sizes)), domain.Clique{a}).Multiply(prior, counts)
	}
	return prior
}

// leastValue keeps values that noise hides in a fit.
const leastValue = .001

// marginals returns the measurements of marginals.
func marginals(ms []query.Measurement) (out []query.Measurement) {
	for _, m := range ms {
		if m.Queries == nil {
			out = append(out, m)
		}
	}
	return out
}

// answers compares a model with the noisy answers to linear queries; nil without such queries.
func answers(model *population.Model, ms []query.Measurement) *solver.Answers {
	a := &solver.Answers{}
	for _, m := range ms {
		if m.Queries == nil {
			continue
		}
		fitted := make([]float64, len(m.Values))
		m.Queries.Eval(fitted, model.Marginal(m.Clique, nil))
		for i, y := range m.Values {
			a.Worst = max(a.Worst, math.Abs(y-fitted[i]))
		}
		a.Queries += int64(len(m.Values))
		a.Variance = max(a.Variance, m.Variance)
	}
	if a.Queries == 0 {
		return nil
	}
	return a
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

// totalOf estimates the number of units from measurements: the mean of the tables' sums, each weighted
// by its inverse variance, at least 1. It is post-processing and costs nothing.
func totalOf(ms []query.Measurement) query.Total {
	sum, weight := 0.0, 0.0
	for _, m := range ms {
		w := 1 / (m.Variance * float64(len(m.Values)))
		sum += w * summation.Long(m.Values)
		weight += w
	}
	return query.Total{Units: max(1, sum/weight), Variance: 1 / weight}
}
