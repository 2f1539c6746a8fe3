package methods

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/solver"
)

// Choose returns the method called name, or for Auto and no name the one that the public rule picks, and
// why. It fails if there is no such method, and with the method's own error if it does not apply to p.
func Choose(p solver.Problem, name string) (m Method, why string, err error) {
	why = "named in the request"
	if cmp.Or(name, Auto) == Auto {
		name, why = rule(p)
	}
	if m, err = Lookup(name); err != nil {
		return Method{}, "", err
	}
	_, err = m.Accesses(p)
	return m, why, err
}

// rule picks a method from public figures alone: δ, the domain, the number of measured marginals, the
// planning number of units. The package comment says where its figures come from.
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
