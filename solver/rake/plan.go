package rake

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// The stages of a run, in order.
const (
	stageTotal        = "total"
	stageTrees        = "trees"
	stageWeekdays     = "weekdays"
	stageHours        = "hours"
	stageCoarsen      = "bins"
	stageOneWays      = "one-ways"
	stageFirstScores  = "first scores"
	stagePairs        = "pairs"
	stageSecondScores = "second scores"
	stageFinal        = "final"
)

// Accesses plans the run. Its shares are exact; numbers of marginals and coordinates are the largest possible, since
// the tables that a later stage measures, and their numbers of merged cells, depend on earlier releases. If those
// leave nothing to measure in a stage, the run omits it.
//
// It fails for δ = 0, which Gaussian noise cannot satisfy, for an empty workload, and with *ErrMemory for one whose
// tables do not fit the memory limit.
func Accesses(p solver.Problem) ([]solver.Access, error) {
	t := newTargets(p)
	if err := check(p, t); err != nil {
		return nil, err
	}
	s := newSettings(p, t)
	var list []solver.Access
	add := func(stage string, share dp.Share, marginals int, coordinates int64) {
		if coordinates > 0 {
			list = append(list, solver.Access{Stage: stage, Kind: dp.DiscreteGaussian, Count: 1, Share: share,
				Marginals: marginals, Coordinates: coordinates, Adaptive: stage != stageTotal})
		}
	}
	if p.Neighbouring == dp.AddRemove { // else it is public
		add(stageTotal, s.total, 0, 1)
	}
	trees := learned(p, t)
	fine := int64(0)
	for _, c := range trees {
		fine += int64(p.Domain.Attributes[c[0]].RecordSize())
	}
	add(stageTrees, s.trees, len(trees), fine)
	for i, c := range cycles {
		n := len(c.of(p, t))
		add(c.stage, s.cycles[i], n, int64(n*(c.parts+1)))
	}
	oneWays := slices.DeleteFunc(t.attributes(), func(c domain.Clique) bool {
		return slices.ContainsFunc(trees, func(x domain.Clique) bool { return x.Equal(c) })
	})
	add(stageOneWays, s.oneWays, len(oneWays), sumCells(cellsOf(t.sizes, oneWays)))
	pairs, triples := cellsOf(t.sizes, cliques(t.pairs)), cellsOf(t.sizes, cliques(t.triples))
	scored := len(pairs) + min(len(triples), scoredTriples)
	add(stageFirstScores, s.firstScores, 0, int64(len(pairs)))
	add(stagePairs, s.pairs, len(pairs), sumCells(pairs))
	add(stageSecondScores, s.secondScores, 0, int64(scored))
	slices.Sort(triples)
	triples = triples[max(0, len(triples)-measuredTriples):]
	add(stageFinal, s.final, len(pairs)+len(triples), sumCells(pairs)+sumCells(triples))
	return list, nil
}

func check(p solver.Problem, t targets) error {
	if p.Delta == 0 {
		return errors.New("rake: delta 0: the method adds Gaussian noise only; use a delta above 0 or another method")
	}
	if !slices.Contains(t.covered, true) {
		return errors.New("rake: the workload has no marginals")
	}
	if p.Public != nil && !fitsWhole(p) {
		return fmt.Errorf("rake: it uses a public table if there are at most %g possible records, and this domain has %.3g; leave the public table out, or give columns fewer values or bins", float64(wholeUniverse), cellsOfAll(p.Workload.Sizes))
	}
	if need, limit := memory(p, t), max(float64(p.Memory()), leastMemory); need > limit {
		return &ErrMemory{Need: need, Limit: limit}
	}
	return nil
}

// attributes returns the one-way tables to measure: those of covered attributes with a choice.
func (t targets) attributes() []domain.Clique {
	var out []domain.Clique
	for a, k := range t.sizes {
		if t.covered[a] && k > 1 {
			out = append(out, domain.Clique{a})
		}
	}
	return out
}

func cliques(list []target) []domain.Clique {
	out := make([]domain.Clique, len(list))
	for i, x := range list {
		out[i] = x.clique
	}
	return out
}

// cellsOf returns the cells of each target clique.
func cellsOf(sizes []int, cliques []domain.Clique) []int64 {
	out := make([]int64, len(cliques))
	for i, c := range cliques {
		out[i], _ = c.Cells(sizes) // a target is countable
	}
	return out
}

func sumCells(cells []int64) int64 {
	sum := int64(0)
	for _, n := range cells {
		sum += n
	}
	return sum
}
