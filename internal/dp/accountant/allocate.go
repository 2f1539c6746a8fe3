package accountant

import (
	"fmt"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
)

// Allocate gives a stage a share of the capacity, before the run and from public values alone. From then on events of
// a stage are charged to its share, and events of stages without a share are refused. It fails if the share is not
// above 0, if the stage has one already, if the shares exceed the capacity, and if something was charged before.
//
// Allocated shares bound the loss of every run of an adaptive algorithm, whatever it releases, however its stages
// divide their shares and whether it reaches them all: each stage is μ_i-GDP (rho_i-zCDP) for a μ_i that was fixed
// beforehand, and adaptive composition adds up μ_i² (rho_i). What one run spent bounds only that run, because it
// depends on what was released. The sum over several events within a stage is a stopping rule (see the package
// comment). Source: Dong, Roth, Su 2022 Theorem 3.2 and Corollary 3.3; Bun, Steinke 2016 Lemma 2.3.
func (l *Ledger) Allocate(stage string, share dp.Share) error {
	part, err := l.part(share)
	if err != nil {
		return err
	}
	if _, ok := l.allocated[stage]; ok || len(l.events) > l.prior {
		return fmt.Errorf("accountant: stage %q: shares are allocated once, before anything is charged", stage)
	}
	total := new(big.Rat).Set(part) // a copy: what is left of the part will shrink
	if l.allocated != nil {
		total.Add(total, l.allocatedTotal)
	}
	if total.Cmp(l.open) > 0 {
		return fmt.Errorf("accountant: stage %q: the shares of all stages exceed the budget; they may sum to 1", stage)
	}
	if l.allocated == nil {
		l.allocated = make(map[string]*big.Rat)
	}
	l.allocated[stage], l.allocatedTotal = part, total
	return nil
}

// left returns what may still be charged to a stage.
func (l *Ledger) left(stage string) *big.Rat {
	if l.allocated == nil {
		return l.Remaining()
	}
	if part, ok := l.allocated[stage]; ok {
		return new(big.Rat).Set(part)
	}
	return new(big.Rat)
}

// bound returns a loss that no run of an adaptive algorithm exceeds.
func (l *Ledger) bound() *big.Rat {
	if l.allocated == nil {
		return l.capacity
	}
	return new(big.Rat).Add(l.allocatedTotal, new(big.Rat).Sub(l.capacity, l.open))
}

// achievedByAll returns an ε that holds for every run of an adaptive algorithm, and the name of its proof.
func (l *Ledger) achievedByAll() (epsilon float64, conversion string) {
	requested, p := float64(l.params.Epsilon), l.params
	if l.allocated == nil {
		return requested, "capacity"
	}
	switch p.Accounting {
	case dp.Pure:
		epsilon, conversion = floatUp(l.bound()), "pure"
	case dp.ZCDP:
		epsilon, conversion = rhoCurve(floatUp(l.bound())).epsilonCeil(p.lossDelta()), "zCDP"
	case dp.GaussianOnly:
		epsilon, conversion = float64(gdpEpsilonCeil(muOf(l.bound()), p.Coordinates, p.lossDelta(), p.Epsilon)), "GDP"
	}
	if epsilon >= requested {
		return requested, "capacity"
	}
	return epsilon, conversion + " of allocated shares"
}
