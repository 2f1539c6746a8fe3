package choose

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
)

// Law is the noise that a ledger admits. Numbers of some cost, with noise of some precision 1/variance, take
// (cost·precision)^Power of Budget: Gaussian noise Δ²/σ² of twice the capacity, Laplace noise √(2·Δ₁²/σ²) of ε.
type Law struct {
	Budget, Power float64
	neighbouring  dp.Neighbouring
}

// LawOf returns the noise of a ledger.
func LawOf(b dp.Budget) Law {
	if b.Accounting == dp.Pure {
		return Law{b.Capacity, .5, b.Neighbouring}
	}
	return Law{2 * b.Capacity, 1, b.Neighbouring}
}

// Laplace reports whether noise is discrete Laplace: costs of tables then add up to so much that one round of scores is all
// that pays.
func (l Law) Laplace() bool { return l.Power < 1 }

// Number is the cost of a number of records.
func (l Law) Number() float64 { return l.cost(1, 1) }

// Distances is the cost of so many distances of tables.
func (l Law) Distances(n int) float64 {
	return l.cost(float64(query.DistanceL2Squared(l.neighbouring, n)), float64(query.SumOfDistancesChange(l.neighbouring, n)))
}

// Tree is the cost of a tree of differences: a replaced record changes one of them by 2 and all others by 1.
func (l Law) Tree(s query.TreeShape) float64 {
	squared := float64(s.L2Squared(l.neighbouring))
	return l.cost(squared, squared-2*float64(l.neighbouring.UnitChanges()-1))
}

// Residual is the cost of a centred table, of the precision of its cells.
func (l Law) Residual(shape []int) float64 {
	squared, _ := query.ResidualL2Squared(l.neighbouring, shape).Float64()
	share, _ := query.ResidualShare(shape).Float64()
	return share * l.cost(squared, float64(l.neighbouring.UnitChanges()))
}

func (l Law) cost(squared, l1 float64) float64 {
	if l.Laplace() {
		return 2 * l1 * l1
	}
	return squared
}

// Spend returns what numbers take of the budget.
func (l Law) Spend(cost, precision float64) float64 { return math.Pow(cost*precision, l.Power) }

// Raise returns the factor of all precisions at which they take a budget in place of what they take now.
func (l Law) Raise(spent, budget float64) float64 { return math.Pow(budget/spent, 1/l.Power) }
