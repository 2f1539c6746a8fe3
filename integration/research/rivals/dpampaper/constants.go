package dpampaper

import (
	"math"
	"math/rand/v2"

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
		width, _ := widthOf(o, widthDraws, widthSeed)
		c.rounds = int(min(max(math.Round(math.Sqrt(logK/lg)*eps*n/width), 1), mostRounds))
	}
	t := float64(c.rounds)
	c.alpha = 1 / math.Sqrt(t*logK)
	c.sigma = 4 * math.Sqrt(t*lg) / eps
	c.shift = math.Sqrt(4/(c.alpha*c.sigma/n)) + 1
	return c
}

// widthOf estimates the Gaussian width of the workload, w = E max_{A,c} |Σ_{z: z_A=c} ξ(z)| with ξ standard
// normal on the universe, as the mean of the given number of draws, with its standard error. It reads no
// data: equal plans and seeds give equal widths. Cost: one evaluation and k normal numbers per draw.
func widthOf(o *dense.Oracle, draws int, seed uint64) (mean, standardError float64) {
	rng := rand.New(rand.NewPCG(seed, 0x7769647468))
	xi := make([]float64, o.Plan().Len())
	views, flat := o.Plan().NewAnswers()
	sum, squares := 0.0, 0.0
	for range draws {
		for z := range xi {
			xi[z] = rng.NormFloat64()
		}
		o.Eval(xi, views)
		largest := 0.0
		for _, x := range flat {
			largest = max(largest, math.Abs(x))
		}
		sum += largest
		squares += largest * largest
	}
	n := float64(draws)
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / n)
}
