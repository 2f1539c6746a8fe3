package rake

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/fit"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/solver"
)

// The stages of a run, in order.
const (
	stageTotal        = "total"
	stageTrees        = "trees"
	stageCoarsen      = "bins"
	stageOneWays      = "one-ways"
	stageFirstScores  = "first scores"
	stagePairs        = "pairs"
	stageSecondScores = "second scores"
	stageFinal        = "final"
)

const (
	// LargestTable is the most cells of a table that is measured. The attributes of larger ones stay linked through others.
	LargestTable = choose.LargestTable
	// WidestTable is the most attributes of a table that is measured.
	WidestTable = 3
)

// Accesses plans the run. Its shares are exact; numbers of marginals and coordinates are the largest possible, since
// the tables that a later stage measures, and their numbers of merged cells, depend on earlier releases. If those
// leave nothing to measure in a stage, the run omits it. If δ = 0, all noise is discrete Laplace, and there is one round
// of scores.
//
// It fails for an empty workload, and with *ErrMemory for one whose tables do not fit the memory limit.
func Accesses(p solver.Problem) ([]solver.Access, error) {
	t := choose.NewTargets(p)
	if err := check(p, t); err != nil {
		return nil, err
	}
	s, kind := newSettings(p, t), dp.DiscreteGaussian
	if p.Delta == 0 {
		kind = dp.DiscreteLaplace
	}
	var list []solver.Access
	add := func(stage string, share dp.Share, marginals int, coordinates int64) {
		if coordinates > 0 {
			list = append(list, solver.Access{Stage: stage, Kind: kind, Count: 1, Share: share,
				Marginals: marginals, Coordinates: coordinates, Adaptive: stage != stageTotal})
		}
	}
	if p.Neighbouring == dp.AddRemove { // else it is public
		add(stageTotal, s.total, 0, 1)
	}
	trees := oneway.Learned(p.Domain, t.Attributes())
	fine := int64(0)
	for _, c := range trees {
		fine += int64(p.Domain.Attributes[c[0]].RecordSize())
	}
	add(stageTrees, s.trees, len(trees), fine)
	for i, c := range oneway.Cycles {
		n := len(c.Of(p.Domain, trees))
		add(c.Stage, s.cycles[i], n, int64(n*(c.Parts+1)))
	}
	oneWays := slices.DeleteFunc(t.Attributes(), func(c domain.Clique) bool {
		return slices.ContainsFunc(trees, func(x domain.Clique) bool { return x.Equal(c) })
	})
	add(stageOneWays, s.oneWays, len(oneWays), choose.SumCells(choose.CellsOf(t.Sizes, oneWays)))
	pairs, triples := choose.CellsOf(t.Sizes, choose.Cliques(t.Pairs)), choose.CellsOf(t.Sizes, choose.Cliques(t.Triples))
	scored := len(pairs) + s.triples + s.wide
	add(stageFirstScores, s.firstScores, 0, int64(len(pairs)))
	add(stagePairs, s.pairs, len(pairs), choose.SumCells(pairs))
	if p.Delta == 0 {
		return list, nil
	}
	add(stageSecondScores, s.secondScores, 0, int64(scored))
	tables := append(largest(triples, measuredTriples), largest(choose.CellsOf(t.Sizes, choose.Cliques(t.Wide)), s.wide)...)
	add(stageFinal, s.final, len(pairs)+len(tables), choose.SumCells(pairs)+choose.SumCells(tables))
	return list, nil
}

// largest returns the n largest of the numbers of cells, which it sorts.
func largest(cells []int64, n int) []int64 {
	slices.Sort(cells)
	return slices.Clone(cells[max(0, len(cells)-n):])
}

func check(p solver.Problem, t choose.Targets) error {
	if !slices.Contains(t.Covered, true) {
		return errors.New("rake: the workload has no marginals")
	}
	if p.Public != nil && !fitsWhole(p) {
		return fmt.Errorf("rake: it uses a public table if there are at most %g possible records, and this domain has %.3g; leave the public table out, or give columns fewer values or bins", float64(wholeUniverse), dense.Cells(p.Workload.Sizes))
	}
	if need, limit := memory(p, t), max(float64(p.Memory()), leastMemory); need > limit {
		return &ErrMemory{Need: need, Limit: limit}
	}
	return nil
}

// memory returns the bytes of a solve: values, target, ridge, potential and factor of every measured cell,
// the base of every scored one, and the population.
func memory(p solver.Problem, t choose.Targets) float64 {
	pairs, triples := choose.CellsOf(t.Sizes, choose.Cliques(t.Pairs)), choose.CellsOf(t.Sizes, choose.Cliques(t.Triples))
	wide := largest(choose.CellsOf(t.Sizes, choose.Cliques(t.Wide)), newSettings(p, t).wide)
	tables := 48 * float64(choose.SumCells(pairs)+choose.SumCells(largest(triples, scoredTriples(p, t)))+choose.SumCells(wide))
	if fitsWhole(p) {
		return tables + bytesPerCell*dense.Cells(t.Sizes)
	}
	return tables + float64(fit.Records(p.Units, len(t.Sizes))*fit.RecordBytes(len(t.Sizes))) + 40*fit.TreeCells
}

// leastMemory is what a solve may take whatever the limit: a smaller one only keeps universes from being held.
const leastMemory = 1 << 30

// ErrMemory says that the tables of a workload do not fit the problem's memory limit.
type ErrMemory struct{ Need, Limit float64 } // bytes

func (e *ErrMemory) Error() string {
	return fmt.Sprintf("rake: the tables worth scoring take %.3g GB and the memory limit is %.3g GB; ask for fewer or smaller marginals, or raise the limit", e.Need/1e9, e.Limit/1e9)
}
