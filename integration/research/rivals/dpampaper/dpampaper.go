package dpampaper

import (
	"errors"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// BytesPerCell is the memory of a solve for each cell of the universe: four vectors, the noisy
// histogram, the curator's counts, and buffers.
const BytesPerCell = 64

const (
	stageTotal   = "total"
	stageMeasure = "measure"
)

// totalShare is what the number of units gets of the budget under AddRemove.
var totalShare = dp.ShareOf(2, 100)

// Curator is what the method asks of private data; solver.Curator and solver.Published say what each does.
type Curator interface {
	Total(stage string, share dp.Share) (query.Total, error)
	MeasureVariance(stage string, round int, cliques []domain.Clique, variance float64) ([]query.Measurement, error)
}

// plan is a run's public side.
type plan struct {
	constants
	sizes    []int
	never    domain.Exclusions
	oracle   *dense.Oracle   // of the maximal marginals
	universe []domain.Clique // the one clique of all attributes
}

func newPlan(p solver.Problem) (*plan, error) {
	if p.Delta <= 0 {
		return nil, errors.New("dpam-paper: the published noise needs a delta above 0")
	}
	if limit := -epsilonLimit * math.Log(float64(p.Delta)); float64(p.Epsilon) > limit {
		return nil, fmt.Errorf("dpam-paper: epsilon %g: the published noise is enough only up to 8·ln(1/delta) = %g",
			float64(p.Epsilon), limit)
	}
	w := p.Workload.Maximal()
	if len(w.Marginals) == 0 {
		return nil, errors.New("dpam-paper: the workload has no marginals")
	}
	if _, err := dense.CheckUniverse(w.Sizes, BytesPerCell, p.Memory()); err != nil {
		return nil, fmt.Errorf("dpam-paper: %w", err)
	}
	pl := &plan{sizes: w.Sizes, never: p.Domain.Exclusions(), oracle: dense.NewOracle(dense.NewPlan(w.Sizes, w.Cliques()))}
	pl.universe = []domain.Clique{domain.All(len(w.Sizes))}
	pl.constants = constantsOf(p, pl.oracle)
	return pl, nil
}

// Accesses plans the noisy total (AddRemove) and the histograms. It fails for δ = 0, for an ε beyond
// 8·ln(1/δ), if the universe is too large (*dense.ErrUniverse) and if the workload is empty.
func Accesses(p solver.Problem) ([]solver.Access, error) {
	pl, err := newPlan(p)
	if err != nil {
		return nil, err
	}
	var out []solver.Access
	if p.Neighbouring == dp.AddRemove {
		out = append(out, solver.Access{Stage: stageTotal, Kind: dp.DiscreteGaussian, Count: 1, Share: totalShare, Coordinates: 1})
	}
	return append(out, solver.Access{
		Stage: stageMeasure, Kind: dp.DiscreteGaussian, Count: pl.rounds, Noise: pl.sigma * pl.sigma,
		Marginals: 1, Cliques: pl.universe, Coordinates: int64(pl.oracle.Plan().Len()),
	}), nil
}

// Solve returns the aggregated model after all rounds; its weights sum to the number of units, released
// or public. It fails if Accesses does and if the curator does.
func Solve(p solver.Problem, c Curator) (*solver.Result, error) {
	pl, err := newPlan(p)
	if err != nil {
		return nil, err
	}
	result, err := pl.run(p, c, 1/pl.alpha)
	if err != nil {
		return nil, fmt.Errorf("dpam-paper: %w", err)
	}
	return result, nil
}

// run makes all rounds with the given mirror step. The histograms are not kept: T of them would be T
// times the universe.
func (pl *plan) run(p solver.Problem, c Curator, step float64) (*solver.Result, error) {
	total, err := c.Total(stageTotal, totalShare)
	if err != nil {
		return nil, err
	}
	total.Units = max(1, total.Units)
	d := newDescent(pl, step)
	for t := 1; t <= pl.rounds; t++ {
		d.weigh(t)
		ms, err := c.MeasureVariance(stageMeasure, t, pl.universe, pl.sigma*pl.sigma)
		if err != nil {
			return nil, err
		}
		d.move(d.worst(ms[0].Values, total.Units))
		p.Progress.Report(stageMeasure, t, pl.rounds)
	}
	for z := range d.aggregate {
		d.aggregate[z] *= total.Units
	}
	return &solver.Result{
		Model: &population.Model{Sizes: pl.sizes, Weights: d.aggregate, StructuralZeros: pl.never},
		Total: total, RMSE: math.NaN(), Iterations: pl.rounds, Status: solver.RoundsDone,
	}, nil
}
