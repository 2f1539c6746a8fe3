package solver

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// reserving makes a method leave parts of its budget for measuring the error of its model and for checking the problem's
// criteria: every share is reduced to that part of what is left. The accesses end with the measurement and the check, once
// there is a model. A method whose noise is fixed beforehand leaves nothing: its error is not measured. Of every method, the
// model gives structural zeros no weight, and is valid, and no access is planned that the run could not make.
func reserving(m Method) Method {
	accesses, solve, predict := m.Accesses, m.Solve, m.Predict
	m.Accesses = func(p Problem) ([]Access, error) {
		list, err := accesses(p)
		if err == nil {
			list, err = withReserve(m, p, list)
		}
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if a.Share.Num <= 0 && !(a.Noise > 0) {
				return nil, fmt.Errorf("%s: stage %q has no share of the budget, so that a run could not make it; leave less to the error and to criteria, or use another method", m.Name, a.Stage)
			}
		}
		return list, nil
	}
	m.Solve = func(ctx context.Context, p Problem, c Curator) (*Result, error) {
		list, err := accesses(p)
		if err != nil {
			return nil, err
		}
		rest := c
		if reserve := withheld(p, list); reserve.Num > 0 {
			rest = withholding(c, reserve)
		}
		r, err := solve(ctx, p, rest)
		if err != nil {
			return nil, err
		}
		if r == nil || r.Model == nil {
			return nil, errors.New("it returned no model and no error")
		}
		if p.Domain != nil {
			r.Model.StructuralZeros = p.Domain.StructuralZeros
			r.Model.Exclude() // for a method that does not know of structural zeros
		}
		if err := r.Model.Validate(); err != nil {
			return nil, fmt.Errorf("its model: %w", err)
		}
		if !measuresError(p, list) || r.Measured != nil {
			return r, nil
		}
		return r, MeasureError(p, r, c)
	}
	if predict != nil {
		m.Predict = func(p Problem, b dp.Budget, like *Pattern) (Forecast, error) {
			if reserve := withheld(p, nil); reserve.Num > 0 { // no method that predicts fixes its noise
				b.Capacity *= 1 - reserve.Float()
				if like != nil {
					rest := *like
					rest.Bins *= 1 - reserve.Float()
					like = &rest
				}
			}
			return predict(p, b, like)
		}
	}
	return m
}

// withReserve returns the accesses of a method with what is withheld from it taken off their shares, and the accesses of the
// withheld parts after them.
func withReserve(m Method, p Problem, list []Access) ([]Access, error) {
	reserve := withheld(p, list)
	if reserve.Num == 0 {
		return list, nil
	}
	out := make([]Access, len(list), len(list)+2)
	for i, a := range list {
		if a.Noise > 0 {
			return nil, fmt.Errorf("%s: its noise is fixed beforehand, so that no part of its budget is left to check criteria", m.Name)
		}
		a.Share = left(a.Share, reserve)
		out[i] = a
	}
	number := Access{Kind: dp.DiscreteGaussian, Count: 1, Coordinates: 1}
	if m.Accounting(p.Epsilon, p.Delta) == dp.Pure {
		number.Kind = dp.DiscreteLaplace
	}
	if measuresError(p, list) {
		cliques, _ := MeasuredMarginals(p.Workload)
		number.Stage, number.Share, number.Distances = ErrorStage, p.ErrorShare, len(cliques)
		out = append(out, number)
	}
	if len(p.Criteria.Limits) > 0 {
		number.Stage, number.Share, number.Distances = CriteriaStage, p.Criteria.Share, 0
		out = append(out, number)
	}
	return out, nil
}

// withheld returns the part of the budget that is not the method's.
func withheld(p Problem, accesses []Access) dp.Share {
	sum := new(big.Rat)
	if measuresError(p, accesses) {
		sum.Add(sum, p.ErrorShare.Rat())
	}
	if len(p.Criteria.Limits) > 0 {
		sum.Add(sum, p.Criteria.Share.Rat())
	}
	return dp.ShareOf(sum.Num().Int64(), sum.Denom().Int64())
}

// left returns share·(1 − reserved); for an access that costs nothing, such as a public number of units, it is 0.
func left(share, reserved dp.Share) dp.Share {
	if share.Num == 0 {
		return share
	}
	part := new(big.Rat).Mul(share.Rat(), big.NewRat(reserved.Den-reserved.Num, reserved.Den)) // in lowest terms
	return dp.ShareOf(part.Num().Int64(), part.Denom().Int64())
}

// withholding returns a curator that withholds a part of the budget, and is a Published if c is.
func withholding(c Curator, share dp.Share) Curator {
	rest := reserved{c, share}
	if p, ok := c.(Published); ok {
		return reservedPublished{rest, p}
	}
	return rest
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

// MeanDistance is asked by reserving itself, which has the share that it reserved.
func (r reserved) MeanDistance(stage string, w query.Workload, model query.Answers, s dp.Share) (query.MeanDistance, error) {
	return r.Curator.MeanDistance(stage, w, model, s)
}

// reservedPublished withholds the same part from published mechanisms. Noise that is given needs no share.
type reservedPublished struct {
	reserved
	Published
}

func (r reservedPublished) FirstAbove(stage string, round int, w query.Workload, model query.Answers, from int, threshold float64, s dp.Share) (query.Cell, error) {
	return r.Published.FirstAbove(stage, round, w, model, from, threshold, left(s, r.share))
}

func (r reservedPublished) Keep(stage string, round int, w query.Workload, model query.Answers, cell query.Cell, total, threshold float64, s dp.Share) (bool, error) {
	return r.Published.Keep(stage, round, w, model, cell, total, threshold, left(s, r.share))
}

func (r reservedPublished) Votes(stage string, round int, choice []int32, candidates int, s dp.Share) (query.Measurement, error) {
	return r.Published.Votes(stage, round, choice, candidates, left(s, r.share))
}
