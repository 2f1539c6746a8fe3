package synth

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/solver"
)

// openLedger opens the ledger of a problem: of the method's kind, and for the noisy numbers that it plans to draw. If
// that is Gaussian noise alone, it is the kind with the larger capacity. After a prior it goes on with its budget.
func openLedger(m solver.Method, p solver.Problem, prior *accountant.Prior) (ledger *accountant.Ledger, planned []solver.Access, err error) {
	if planned, err = m.Accesses(p); err != nil {
		return nil, nil, fmt.Errorf("synth: method %s: %w", m.Name, err)
	}
	ledger, err = accountant.LedgerAfter(prior, accountant.Params{
		Neighbouring: p.Neighbouring,
		Accounting:   m.Accounting(p.Epsilon, p.Delta),
		Epsilon:      p.Epsilon,
		Delta:        p.Delta,
		Coordinates:  max(1, solver.Coordinates(planned)),
		WeightBits:   p.Domain.WeightBits(),
	})
	if err != nil || !solver.Adaptive(planned) {
		return ledger, planned, err
	}
	for _, a := range planned { // what an adaptive run releases must not move budget between stages
		if err := ledger.Allocate(a.Stage, dp.ShareOf(a.Share.Num*int64(a.Count), a.Share.Den)); err != nil {
			return nil, nil, err
		}
	}
	return ledger, planned, nil
}

// schedule reports whether the ledger holds all planned accesses, which were fixed before private data were read: planned
// has let in no others. If a run made fewer, its end may depend on releases, and only the whole budget is a valid bound.
func schedule(planned []solver.Access, events []accountant.Event) accountant.Schedule {
	if solver.Adaptive(planned) {
		return accountant.Adaptive
	}
	open := map[string]int{}
	for _, a := range planned {
		open[a.Stage] += a.Count
	}
	for _, e := range events {
		open[e.Stage] -= e.Count
	}
	for _, n := range open {
		if n != 0 {
			return accountant.Adaptive
		}
	}
	return accountant.Planned
}

// Statement is the promise of a release: Epsilon and Delta as requested, AchievedEpsilon at Delta, Neighbouring, Accounting
// and Schedule, the Conversion that AchievedEpsilon follows from, the Capacity of the ledger with RhoTotal, EpsilonTotal or Mu, each
// charge in Ledger, charged Approximations, and the promise Together with other releases of one budget. Its method
// Guarantee says it in one line.
type Statement = accountant.Statement

// Charge is an entry of Statement.Ledger: Count equal draws of one Stage from Round on, of a Kind of mechanism; each has
// so many Marginals and Coordinates, a Sensitivity, a Scale of its noise and a Grid. Values above a Threshold have
// a First cut and cost Delta. Rho or Epsilon is the loss of the whole entry.
type Charge = accountant.Line

// Prior is what a release before has charged to the budget, as discover finds it for SolveParams: an ID of its noise, the
// Params of the ledger, the Share of the budget, the Coordinates that it may draw and its Events.
type Prior = accountant.Prior
