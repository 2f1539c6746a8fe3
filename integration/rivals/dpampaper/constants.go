package dpampaper

import (
	"math"

	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/solver"
)

const (
	// mostRounds bounds the rounds, which the paper leaves to grow with n.
	mostRounds = 1000
	// epsilonLimit times ln(1/δ) is the largest ε for which the printed noise holds.
	epsilonLimit = 8
	// widthDraws gives the width of a workload to about 2 per cent.
	widthDraws = 50
	widthSeed  = 1
)

// constants are the figures of a run, all public.
type constants struct {
	rounds int
	alpha  float64 // regularisation
	sigma  float64 // noise of a cell of the universe, counts
	shift  float64 // c₀: rounds by which the averaging weights are ahead
}

// constantsOf evaluates the paper's formulas for the workload of o, whose Gaussian width it estimates
// unless the problem gives the rounds.
func constantsOf(p solver.Problem, o *dense.Oracle) constants {
	n := p.Units
	if n == 0 {
		n = solver.DefaultUnits
	}
	eps, lg := float64(p.Epsilon), -math.Log(float64(p.Delta))
	logK := max(math.Log(float64(o.Plan().Len())), math.Ln2)
	c := constants{rounds: p.Rounds}
	if c.rounds <= 0 {
		width, _ := dense.Width(o, widthDraws, widthSeed)
		c.rounds = int(min(max(math.Round(math.Sqrt(logK/lg)*eps*n/width), 1), mostRounds))
	}
	t := float64(c.rounds)
	c.alpha = 1 / math.Sqrt(t*logK)
	c.sigma = 4 * math.Sqrt(t*lg) / eps
	c.shift = math.Sqrt(4/(c.alpha*c.sigma/n)) + 1
	return c
}
