package dpfw

import (
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/solver"
)

// bytesPerCell is the memory of the rounds for each cell of the universe: three vectors and buffers.
const bytesPerCell = 32

// The stages of a run, and what they get of the budget in per cent; the selections get the rest. Under
// Replace the total is public.
const (
	stageTotal       = "total"
	stageSelect      = "select"
	stageCertificate = "certificate"

	totalPercent       = 2
	certificatePercent = 5
)

// Form says what a round selects.
type Form string

const (
	// Block selects a marginal and a sign for each of its cells.
	Block Form = ""
	// Cell selects one cell and its sign: slower to cover a large workload.
	Cell Form = "cell"
)

// Settings configures DPFW. The zero value is the default.
type Settings struct {
	Form Form `json:"form,omitempty"`
}

// Method names DPFW with settings. The name goes wherever a method can be named, and workers read the settings in it:
//
//	synth.Params{Method: dpfw.Method(dpfw.Settings{Form: dpfw.Cell}), …}
func Method(s Settings) string { return solver.Named("dpfw", s) }

// curator is what DPFW asks of private data; solver.Curator says what each method does.
type curator interface {
	Budget() dp.Budget
	Total(stage string, share dp.Share) (query.Total, error)
	SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error)
	SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error)
	MaxError(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MaxError, error)
}

// Accesses plans a run with the default settings.
func Accesses(p solver.Problem) ([]solver.Access, error) { return Settings{}.Accesses(p) }

// Solve runs DPFW with the default settings.
func Solve(p solver.Problem, c curator) (*solver.Result, error) { return Settings{}.Solve(p, c) }

// plan is a run's public side.
type plan struct {
	form        Form
	maximal     query.Workload // what is selected from
	impossible  domain.Exclusions
	rounds      int
	total       dp.Share // of the capacity; 0 under Replace
	each        dp.Share // of one round
	certificate dp.Share
}

func (s Settings) plan(p solver.Problem) (*plan, error) {
	if s.Form != Block && s.Form != Cell {
		return nil, fmt.Errorf("dpfw: form %q: want %q, or none for blocks", s.Form, Cell)
	}
	if p.Workload.Linear() > 0 {
		s.Form = Cell // the signs of all queries of a table would be paid for by how many of them a record changes
	}
	pl := &plan{form: s.Form, maximal: p.Workload.Maximal(), impossible: p.Domain.Exclusions(), certificate: dp.ShareOf(certificatePercent, 100), total: dp.ShareOf(0, 1)}
	if len(pl.maximal.Marginals) == 0 {
		return nil, errors.New("dpfw: the workload has no marginals")
	}
	k, err := dense.CheckUniverse(pl.maximal.Sizes, bytesPerCell, p.Memory())
	if err != nil {
		return nil, fmt.Errorf("dpfw: %w", err)
	}
	_, cells, err := pl.maximal.Cells()
	if err != nil {
		return nil, fmt.Errorf("dpfw: %w", err)
	}
	percent := int64(100 - certificatePercent)
	if p.Neighbouring == dp.AddRemove {
		pl.total = dp.ShareOf(totalPercent, 100)
		percent -= totalPercent
	}
	pl.rounds = rounds(p, float64(k), float64(cells), dp.ShareOf(percent, 100))
	pl.each = dp.ShareOf(percent, 100*int64(pl.rounds))
	return pl, nil
}

// Accesses plans the noisy total (AddRemove), the selections and the certificate. It fails if the
// universe is too large (*dense.ErrUniverse) and if the workload is empty.
func (s Settings) Accesses(p solver.Problem) ([]solver.Access, error) {
	pl, err := s.plan(p)
	if err != nil {
		return nil, err
	}
	noise, selection := dp.DiscreteGaussian, dp.BlockExponential
	if p.Delta == 0 {
		noise = dp.DiscreteLaplace
	}
	if pl.form == Cell {
		selection = dp.Exponential
	}
	var out []solver.Access
	if p.Neighbouring == dp.AddRemove {
		out = append(out, solver.Access{Stage: stageTotal, Kind: noise, Count: 1, Share: pl.total, Coordinates: 1})
	}
	return append(out,
		solver.Access{Stage: stageSelect, Kind: selection, Count: pl.rounds, Share: pl.each},
		solver.Access{Stage: stageCertificate, Kind: noise, Count: 1, Share: pl.certificate, Coordinates: 1, Worst: true}), nil
}

// Solve returns the averaged model, whose weights sum to the number of units, released or public, and
// the released largest error of its answers to the whole workload. It fails if Accesses does and
// if the curator does.
func (s Settings) Solve(p solver.Problem, c curator) (*solver.Result, error) {
	pl, err := s.plan(p)
	if err != nil {
		return nil, err
	}
	result, err := pl.run(p, c)
	if err != nil {
		return nil, fmt.Errorf("dpfw: %w", err)
	}
	return result, nil
}
