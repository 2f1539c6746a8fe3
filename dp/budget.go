package dp

import (
	"fmt"
	"math"
)

// Epsilon is the ε of (ε, δ)-differential privacy.
type Epsilon float64

// Validate reports whether e is usable: finite and above 0.
func (e Epsilon) Validate() error {
	if f := float64(e); !(f > 0) || math.IsInf(f, 0) {
		return fmt.Errorf("dp: epsilon %g: want a finite number above 0", f)
	}
	return nil
}

// Delta is the δ of (ε, δ)-differential privacy; 0 means pure ε-differential privacy.
type Delta float64

// Validate reports whether d is usable: at least 0 and below 1.
func (d Delta) Validate() error {
	if f := float64(d); !(f >= 0 && f < 1) {
		return fmt.Errorf("dp: delta %g: want a number of at least 0 and below 1", f)
	}
	return nil
}

// Accounting is the kind of a ledger, fixed when it is made. It decides which mechanisms may charge
// it and in which unit losses add up.
type Accounting uint8

const (
	// ZCDP adds rho of zero-concentrated differential privacy; every mechanism may charge it.
	ZCDP Accounting = iota
	// Pure adds ε; Gaussian mechanisms are refused. The only kind for δ = 0.
	Pure
	// GaussianOnly adds μ²/2 of Gaussian differential privacy; only Gaussian mechanisms may charge it.
	GaussianOnly
)

// String returns the kind's name.
func (a Accounting) String() string { return [...]string{"zCDP", "pure", "GDP"}[a] }

// Kind says which mechanism an event of the ledger belongs to.
type Kind uint8

const (
	// DiscreteGaussian is integer counts plus discrete Gaussian noise.
	DiscreteGaussian Kind = iota
	// DiscreteLaplace is integer counts plus discrete Laplace noise.
	DiscreteLaplace
	// Exponential is a selection with probability proportional to exp(score/b).
	Exponential
	// BlockExponential is the joint selection of a marginal and a sign for each of its cells.
	BlockExponential
	// LaplaceMax is the index of the largest of several scores with discrete Laplace noise on each.
	LaplaceMax
	// AboveThreshold is the first of several numbers that is above a threshold, with discrete Laplace noise on each
	// number and on the threshold.
	AboveThreshold
	// ValuesAbove is the noisy counts of those values of columns whose noisy count is above a threshold. It adds to δ what
	// it takes for a value that one record alone has to pass.
	ValuesAbove
)

// String returns the kind's name in the ledger.
func (k Kind) String() string {
	return [...]string{"discrete_gaussian", "discrete_laplace", "exponential", "block_exponential", "laplace_max", "above_threshold", "values_above"}[k]
}

// Budget is the public side of a ledger.
type Budget struct {
	Neighbouring Neighbouring
	Accounting   Accounting
	Capacity     float64 // in the unit of Accounting, rounded down: rho; ε; μ²/2
}
