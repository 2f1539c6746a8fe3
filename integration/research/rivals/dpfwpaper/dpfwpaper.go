package dpfwpaper

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// BytesPerCell is the memory of a solve for each cell of the universe: three vectors and buffers.
const BytesPerCell = 32

const (
	stageTotal  = "total"
	stageSelect = "select"
)

// totalShare is what the number of units gets of the budget under AddRemove.
var totalShare = dp.ShareOf(2, 100)

// Settings configures the method. The zero value is what the paper prints.
type Settings struct{ Calibration Calibration }

// Curator is what the method asks of private data; solver.Curator and solver.Published say what each does.
type Curator interface {
	Total(stage string, share dp.Share) (query.Total, error)
	LaplaceMaxCell(stage string, round int, w query.Workload, model query.Answers, scale float64) (query.Cell, error)
}

// Accesses plans a run with the default settings.
func Accesses(p solver.Problem) ([]solver.Access, error) { return Settings{}.Accesses(p) }

// Solve runs the method with the default settings.
func Solve(p solver.Problem, c Curator) (*solver.Result, error) { return Settings{}.Solve(p, c) }

// plan is a run's public side.
type plan struct {
	constants
	workload query.Workload // the maximal marginals
	never    domain.Exclusions
	cells    int64
}

func (s Settings) plan(p solver.Problem) (*plan, error) {
	if p.Delta <= 0 {
		return nil, errors.New("dpfw-paper: the published noise needs a delta above 0")
	}
	if limit := -epsilonLimit * math.Log(float64(p.Delta)); float64(p.Epsilon) > limit {
		return nil, fmt.Errorf("dpfw-paper: epsilon %g: the published noise is enough only up to 5.66·ln(1/delta) = %g",
			float64(p.Epsilon), limit)
	}
	pl := &plan{workload: p.Workload.Maximal(), never: p.Domain.Exclusions()}
	if len(pl.workload.Marginals) == 0 {
		return nil, errors.New("dpfw-paper: the workload has no marginals")
	}
	k, err := dense.CheckUniverse(pl.workload.Sizes, BytesPerCell, p.Memory())
	if err != nil {
		return nil, fmt.Errorf("dpfw-paper: %w", err)
	}
	each, sum, err := pl.workload.Cells()
	if err != nil {
		return nil, fmt.Errorf("dpfw-paper: %w", err)
	}
	pl.cells = sum
	pl.constants = constantsOf(p, s.Calibration, float64(k), float64(sum), float64(slices.Min(each)))
	return pl, nil
}

// Accesses plans the noisy total (AddRemove) and the selections. It fails for δ = 0, for an ε beyond
// 5.66·ln(1/δ), if the universe is too large (*dense.ErrUniverse) and if the workload is empty.
func (s Settings) Accesses(p solver.Problem) ([]solver.Access, error) {
	pl, err := s.plan(p)
	if err != nil {
		return nil, err
	}
	var out []solver.Access
	if p.Neighbouring == dp.AddRemove {
		out = append(out, solver.Access{Stage: stageTotal, Kind: dp.DiscreteGaussian, Count: 1, Share: totalShare, Coordinates: 1})
	}
	return append(out, solver.Access{
		Stage: stageSelect, Kind: dp.LaplaceMax, Count: pl.rounds, Noise: pl.scale, Coordinates: 2 * pl.cells,
	}), nil
}

// Solve returns the model of one round, drawn uniformly with the problem's seed; its weights sum to the
// number of units, released or public. It fails if Accesses does and if the curator does.
func (s Settings) Solve(p solver.Problem, c Curator) (*solver.Result, error) {
	pl, err := s.plan(p)
	if err != nil {
		return nil, err
	}
	keep := 1 + rand.New(rand.NewPCG(p.Seed, 0x6470667770)).IntN(pl.rounds)
	result, err := pl.run(p.Progress, c, keep)
	if err != nil {
		return nil, fmt.Errorf("dpfw-paper: %w", err)
	}
	return result, nil
}

// run makes all planned rounds and returns the model of round keep.
func (pl *plan) run(progress solver.Progress, c Curator, keep int) (*solver.Result, error) {
	total, err := c.Total(stageTotal, totalShare)
	if err != nil {
		return nil, err
	}
	total.Units = max(1, total.Units)
	d := dense.NewPlan(pl.workload.Sizes, pl.workload.Cliques())
	o := dense.NewOracle(d)
	theta, model, kept := make([]float64, d.Len()), make([]float64, d.Len()), make([]float64, d.Len())
	dense.Forbid(theta, pl.workload.Sizes, pl.never)
	counts, flat := d.NewAnswers()
	o.AddCell(0, 0, 1/pl.alpha, theta) // the first query, whatever the data
	for t := 1; t <= pl.rounds; t++ {
		dense.Softmax(theta, model)
		if t == keep {
			copy(kept, model)
		}
		o.Eval(model, counts)
		for i := range flat {
			flat[i] *= total.Units
		}
		s, err := c.LaplaceMaxCell(stageSelect, t, pl.workload, counts, pl.scale)
		if err != nil {
			return nil, err
		}
		for z, v := range theta {
			if !math.IsInf(v, -1) { // an impossible cell; gamma can be 1
				theta[z] = v * (1 - pl.gamma)
			}
		}
		o.AddCell(s.Marginal, s.Cell, float64(s.Sign)*pl.gamma/pl.alpha, theta)
		progress.Report(stageSelect, t, pl.rounds)
	}
	for z := range kept {
		kept[z] *= total.Units
	}
	return &solver.Result{
		Model: &population.Model{Sizes: pl.workload.Sizes, Weights: kept, StructuralZeros: pl.never},
		Total: total, RMSE: math.NaN(), Iterations: pl.rounds, Status: solver.RoundsDone,
	}, nil
}
