package dpfwpaper

import (
	"math"

	"github.com/dapple-dp/dapple/integration/research/rivals/bounds"
	"github.com/dapple-dp/dapple/solver"
)

// Calibration says which sensitivity the noise is computed from.
type Calibration uint8

const (
	// Literal is the paper's printed constant: twice the largest L1 norm of a query over the universe.
	Literal Calibration = iota
	// Proof is the constant that the proof uses for queries with values 0 and 1, which marginals are.
	Proof
)

const (
	// diameter is the paper's D_∞ of the set of signed queries.
	diameter = 2
	// mostRounds bounds the rounds, which the paper leaves to grow with n.
	mostRounds = 3000
	// epsilonLimit times ln(1/δ) is the largest ε for which the printed noise holds with signed queries.
	epsilonLimit = 5.66
)

// constants are the figures of a run, all public.
type constants struct {
	alpha  float64 // regularisation
	gamma  float64 // step of Frank-Wolfe
	rounds int
	scale  float64 // of the Laplace noise, counts
}

// constantsOf evaluates the paper's formulas for k cells of the universe, m cells of the workload, of
// which the smallest marginal has least.
func constantsOf(p solver.Problem, c Calibration, k, m, least float64) constants {
	n := p.Units
	if n == 0 {
		n = solver.DefaultUnits
	}
	lg, queries := -math.Log(float64(p.Delta)), 2*m
	sensitivity := 1.0
	if c == Literal {
		sensitivity = 2 * k / least
	}
	en := float64(p.Epsilon) * n
	out := constants{rounds: p.Rounds}
	out.alpha = bounds.Regulariser(k, queries, en, float64(p.Delta))
	if out.rounds <= 0 {
		t := math.Pow(diameter, 1.5) * en / (sensitivity * math.Sqrt(32*out.alpha*lg) * math.Log(2*queries))
		out.rounds = int(min(max(math.Round(t), 1), mostRounds))
	}
	t := float64(out.rounds)
	out.gamma = min(1, 2*math.Sqrt(out.alpha/(t*diameter)))
	out.scale = 4 * sensitivity * math.Sqrt(2*t*lg) / float64(p.Epsilon)
	return out
}
