package synth

import "github.com/dapple-dp/dapple/internal/dp/accountant"

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
