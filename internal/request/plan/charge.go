package plan

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/solver"
)

// Charge returns a ledger that holds every event that the method will charge, and the marginals that it will measure. A prior
// is what the same budget has paid before; nil: nothing.
func Charge(p solver.Problem, m solver.Method, prior *accountant.Prior) (*accountant.Ledger, []Noisy, error) {
	accesses, err := m.Accesses(p)
	if err != nil {
		return nil, nil, err
	}
	ledger, err := accountant.LedgerAfter(prior, accountant.Params{
		Neighbouring: p.Neighbouring, Accounting: m.Accounting(p.Epsilon, p.Delta),
		Epsilon: p.Epsilon, Delta: p.Delta, Coordinates: max(1, solver.Coordinates(accesses)), WeightBits: p.Domain.WeightBits(),
	})
	if err != nil {
		return nil, nil, err
	}
	if solver.Adaptive(accesses) {
		for _, a := range accesses {
			if err := ledger.Allocate(a.Stage, dp.ShareOf(a.Share.Num*int64(a.Count), a.Share.Den)); err != nil {
				return nil, nil, fmt.Errorf("plan: %w", err)
			}
		}
	}
	var measured []Noisy
	for _, a := range accesses {
		event, err := eventOf(ledger, a, p)
		if err != nil {
			return nil, nil, fmt.Errorf("plan: stage %q: %w", a.Stage, err)
		}
		if err := ledger.Charge(event.At(a.Stage, round(a)).Times(a.Count)); err != nil {
			return nil, nil, err
		}
		for i, c := range measuredBy(p, a) {
			measured = append(measured, Noisy{Clique: c, Variance: event.Variance(i) / float64(a.Count)})
		}
	}
	return ledger, measured, nil
}

// round returns the round of an access in a run: single numbers, which are the total and the certificate, have none.
func round(a solver.Access) int {
	selects := a.Kind == dp.BlockExponential || a.Kind == dp.Exponential || a.Kind == dp.LaplaceMax || a.Kind == dp.AboveThreshold
	if a.Marginals == 0 && !a.Adaptive && !selects {
		return 0
	}
	return 1
}

// schedule says whether the ledger is known before the run, event for event.
func schedule(p solver.Problem, m solver.Method) accountant.Schedule {
	if accesses, err := m.Accesses(p); err == nil && solver.Adaptive(accesses) {
		return accountant.Adaptive
	}
	return accountant.Planned
}

// measuredBy returns the marginals that an access measures: its own, or the workload's maximal marginals.
func measuredBy(p solver.Problem, a solver.Access) []domain.Clique {
	switch {
	case a.Marginals == 0 || a.Adaptive:
		return nil
	case a.Cliques != nil:
		return a.Cliques
	}
	return p.Workload.Maximal().Cliques()
}

// eventOf calibrates the event of one planned access.
func eventOf(l *accountant.Ledger, a solver.Access, p solver.Problem) (accountant.Event, error) {
	switch a.Kind {
	case dp.BlockExponential:
		return l.Select(a.Kind, p.Workload.BlockRange(p.Neighbouring), a.Share)
	case dp.Exponential:
		if a.Keeps {
			return l.Select(a.Kind, p.Workload.LargestChange(p.Neighbouring), a.Share)
		}
		return l.Select(a.Kind, p.Workload.CellRange(p.Neighbouring), a.Share)
	case dp.AboveThreshold:
		return l.Select(a.Kind, p.Workload.LargestChange(p.Neighbouring), a.Share)
	case dp.LaplaceMax:
		return l.LaplaceMax(query.SignedCellRange(), a.Noise)
	}
	switch {
	case a.Adaptive:
		return l.StandIn(a.Kind, a.Coordinates, a.Share)
	case a.Distances > 0:
		return l.MaxError(query.SumOfDistancesChange(p.Neighbouring, a.Distances), a.Share)
	case a.Worst:
		return l.MaxError(p.Workload.LargestChange(p.Neighbouring), a.Share)
	case a.Marginals == 0: // one number that changes by at most 1
		return l.MaxError(1, a.Share)
	case a.Noise > 0:
		return l.MeasureVariance(accountant.Equal(a.Marginals, a.Coordinates), a.Noise)
	case a.Precision != nil:
		return l.Measure(accountant.Marginals{Precision: a.Precision, Cells: a.Coordinates}, a.Share)
	}
	return l.Measure(accountant.Equal(a.Marginals, a.Coordinates), a.Share)
}
