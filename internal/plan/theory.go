package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/internal/theory"
	"github.com/dapple-dp/dapple/solver"
)

// Theory is what is proved of the largest error before anything is read, as parts of the units.
type Theory struct {
	Proved   float64 // bound on the mean of a cell's largest error, once the fit meets its answers as closely as noise allows; NaN if none is known of the method
	Sampling float64 // between the table and the distribution that its units are drawn from, in one of the workload's cells, with 95 % confidence
}

// stated is what theory says of a request.
func stated(p solver.Problem, method string, w Workload, measured []Noisy) Theory {
	t := Theory{Proved: math.NaN(), Sampling: theory.Sampling(float64(w.Cells), p.Units, .05)}
	if method != "dpam" || len(measured) == 0 {
		return t
	}
	worst := 0.0
	for _, m := range measured {
		worst = max(worst, m.Variance)
	}
	t.Proved = theory.Measured(math.Sqrt(worst), float64(w.MeasCells), p.Units)
	return t
}

func writeTheory(b *strings.Builder, p *Plan) {
	if x := p.Proved; !math.IsNaN(x) {
		word := ""
		if x >= 1 {
			word = ", which says nothing: no error is larger"
		}
		fmt.Fprintf(b, "theory    proved: no cell off by more than %s of the units in the mean over the noise%s\n", tv(x), word)
	}
	if x := p.Sampling; x < 1 {
		fmt.Fprintf(b, "sampling  seen as drawn from a larger population, the table itself is off by up to %s in one of %d cells; no ε changes that\n", tv(x), p.Workload.Cells)
	}
}
