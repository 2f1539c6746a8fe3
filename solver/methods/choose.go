package methods

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/solver"
)

// Choose returns the method called name, or for "auto" the one that the public rule picks, and why.
func Choose(p solver.Problem, name string) (Method, string, error) {
	if name != "auto" {
		m, err := Lookup(name)
		if err != nil {
			return Method{}, "", err
		}
		_, err = m.Accesses(p)
		return m, "named in the request", err
	}
	name, why := rule(p)
	m, err := Lookup(name)
	if err != nil {
		return Method{}, "", err
	}
	_, err = m.Accesses(p)
	return m, why, err
}

// rule picks a method from public figures alone: δ, the domain, the number of measured marginals M, the
// planning number of units.
//
// For δ > 0, rake: it measures what noisy scores call for, on the whole universe where that fits
// (wide.md §9). In pure privacy one release's noise grows with M and not with √M, and beyond
// M ≈ 6·(units·ε)^0.4 selection is better (algorithms.md §4).
func rule(p solver.Problem) (name, why string) {
	measured := float64(len(p.Workload.Maximal().Marginals))
	if p.Delta > 0 {
		return "rake", "δ > 0: the tables worth measuring are found by noisy scores, in any domain"
	}
	limit := 6 * math.Pow(p.Units*float64(p.Epsilon), 0.4)
	if measured <= limit {
		return "dpam", fmt.Sprintf("δ = 0 and %.0f marginals are at most 6·(units·ε)^0.4 = %.0f: one release", measured, limit)
	}
	return "dpfw", fmt.Sprintf("δ = 0 and %.0f marginals are more than 6·(units·ε)^0.4 = %.0f: selection", measured, limit)
}
