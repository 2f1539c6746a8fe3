package solver

import (
	"context"
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// reserving makes a method leave a part of its budget for checking the problem's criteria: every share is reduced to
// that part of what is left. The accesses end with the check, which is made once there is a model.
func reserving(m Method) Method {
	accesses, solve, foresee := m.Accesses, m.Solve, m.Foresee
	m.Accesses = func(p Problem) ([]Access, error) {
		list, err := accesses(p)
		if err != nil || len(p.Criteria.Limits) == 0 {
			return list, err
		}
		out := make([]Access, len(list), len(list)+1)
		for i, a := range list {
			if a.Noise > 0 {
				return nil, fmt.Errorf("%s: its noise is fixed beforehand, so that no part of its budget is left to check criteria", m.Name)
			}
			a.Share = left(a.Share, p.Criteria.Share)
			out[i] = a
		}
		kind := dp.DiscreteGaussian
		if m.Accounting(p.Epsilon, p.Delta) == dp.Pure {
			kind = dp.DiscreteLaplace
		}
		return append(out, Access{Stage: CriteriaStage, Kind: kind, Count: 1, Share: p.Criteria.Share, Coordinates: 1}), nil
	}
	m.Solve = func(ctx context.Context, p Problem, c Curator) (*Result, error) {
		if len(p.Criteria.Limits) > 0 {
			c = reserved{c, p.Criteria.Share}
		}
		return solve(ctx, p, c)
	}
	if foresee != nil {
		m.Foresee = func(p Problem, b dp.Budget, like *Pattern) (Forecast, error) {
			if len(p.Criteria.Limits) > 0 {
				b.Capacity *= 1 - p.Criteria.Share.Float()
			}
			return foresee(p, b, like)
		}
	}
	return m
}

// left returns share·(1 − reserved); for an access that costs nothing, such as a public number of units, it is 0.
func left(share, reserved dp.Share) dp.Share {
	if share.Num == 0 {
		return share
	}
	return dp.ShareOf(share.Num*(reserved.Den-reserved.Num), share.Den*reserved.Den)
}

// reserved is a curator that withholds a part of the budget.
type reserved struct {
	Curator
	share dp.Share
}

func (r reserved) Budget() dp.Budget {
	b := r.Curator.Budget()
	b.Capacity *= 1 - r.share.Float()
	return b
}

func (r reserved) Total(stage string, s dp.Share) (query.Total, error) {
	return r.Curator.Total(stage, left(s, r.share))
}

func (r reserved) Measure(stage string, round int, cliques []domain.Clique, precision []float64, s dp.Share) ([]query.Measurement, error) {
	return r.Curator.Measure(stage, round, cliques, precision, left(s, r.share))
}

func (r reserved) MeasureQueries(stage string, round int, w query.Workload, s dp.Share) ([]query.Measurement, error) {
	return r.Curator.MeasureQueries(stage, round, w, left(s, r.share))
}

func (r reserved) SelectBlock(stage string, round int, w query.Workload, model query.Answers, s dp.Share) (query.Block, error) {
	return r.Curator.SelectBlock(stage, round, w, model, left(s, r.share))
}

func (r reserved) SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, s dp.Share) (query.Cell, error) {
	return r.Curator.SelectCell(stage, round, w, model, total, left(s, r.share))
}

func (r reserved) FirstAbove(stage string, round int, w query.Workload, model query.Answers, from int, threshold float64, s dp.Share) (query.Cell, error) {
	return r.Curator.FirstAbove(stage, round, w, model, from, threshold, left(s, r.share))
}

func (r reserved) Keep(stage string, round int, w query.Workload, model query.Answers, cell query.Cell, total, threshold float64, s dp.Share) (bool, error) {
	return r.Curator.Keep(stage, round, w, model, cell, total, threshold, left(s, r.share))
}

func (r reserved) Votes(stage string, round int, choice []int32, candidates int, s dp.Share) (query.Measurement, error) {
	return r.Curator.Votes(stage, round, choice, candidates, left(s, r.share))
}

func (r reserved) Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, s dp.Share) ([]query.Measurement, error) {
	return r.Curator.Residuals(stage, round, cliques, merge, precision, left(s, r.share))
}

func (r reserved) Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, s dp.Share) (query.Scores, error) {
	return r.Curator.Scores(stage, round, cliques, merge, bases, left(s, r.share))
}

func (r reserved) Trees(stage string, round int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, s dp.Share) ([]query.Tree, error) {
	return r.Curator.Trees(stage, round, cliques, shapes, total, precision, left(s, r.share))
}

func (r reserved) MaxError(stage string, w query.Workload, model query.Answers, s dp.Share) (query.MaxError, error) {
	return r.Curator.MaxError(stage, w, model, left(s, r.share))
}
