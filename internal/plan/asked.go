package plan

import (
	"fmt"

	"github.com/dapple-dp/dapple/solver"
)

// Adaptive reports whether the measured marginals depend on earlier releases, so that only their share of the budget
// and their largest number are known beforehand.
func (p *Plan) Adaptive() bool { return solver.Adaptive(p.accesses) }

// asked describes the requests of a stage of an adaptive method: at most so many marginals, or so many scores. It is
// empty for other methods, whose measured marginals are those of the workload, and for stages of one number but the error.
func (p *Plan) asked(stage string) string {
	for _, a := range p.accesses {
		switch {
		case a.Stage == stage && a.Distances > 0:
			return fmt.Sprintf("error of the model over %d marginals", a.Distances)
		case a.Stage != stage || !a.Adaptive:
		case a.Marginals > 0:
			return fmt.Sprintf("up to %d marginals, %d cells", a.Marginals, a.Coordinates)
		default:
			return fmt.Sprintf("%d scores: errors of the model", a.Coordinates)
		}
	}
	return ""
}
