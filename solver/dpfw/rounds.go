package dpfw

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/solver"
)

const (
	leastRounds = 30
	mostRounds  = 1000 // 3,000 pays only at ε ≥ 5

	leastPureRounds = 20
	mostPureRounds  = 300
)

// rounds returns the number of rounds T for the part select of the budget, k cells of the universe and
// m cells of the workload. With A/√T + B·√T bounding the error, A = 2·√(ln k/2) for one block and
// B = R·ln(2m)/(√(8ρ)·N), it takes a fraction of the best T of that bound, because the error is flat
// in T beyond it and every round costs time.
func rounds(p solver.Problem, k, m float64, selection dp.Share) int {
	if p.Rounds > 0 {
		return p.Rounds
	}
	units := p.Units
	if units == 0 {
		units = solver.DefaultUnits
	}
	a := math.Sqrt(2 * math.Log(k))
	b := float64(max(p.Workload.CellRange(p.Neighbouring), dp.Range(p.Neighbouring.UnitChanges()))) * math.Log(2*m)
	if p.Delta == 0 {
		eps := float64(p.Epsilon) * selection.Float()
		return clip(math.Pow(a*eps*units/(2*b), 2.0/3)/4, leastPureRounds, mostPureRounds)
	}
	rho := solver.ZCDPRho(p.Epsilon, p.Delta) * selection.Float()
	return clip(2*a*math.Sqrt(8*rho)*units/(5*b), leastRounds, mostRounds)
}

func clip(x float64, least, most int) int {
	return int(min(max(x, float64(least)), float64(most)))
}
