package dpam

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRareValues: on small universes whose values are as rare as one in 10,000, a fit ends where it meets the noisy answers: their
// squared distance, in variances, is below the number of cells and what chance adds in one of a million fits. Fits whose steps
// ripple end thousands above. Fixed seeds.
func TestRareValues(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 10_000))
		sizes, cells := make([]int, 2+rng.IntN(4)), 1
		rare := make([]float64, len(sizes))
		for a := range sizes {
			sizes[a], rare[a] = 2+rng.IntN(3), math.Pow(10, -4*rng.Float64())
			cells *= sizes[a]
		}
		total := math.Pow(10, 3.5+2*rng.Float64())
		truth, sum := make([]float64, cells), 0.0
		for z := range truth {
			truth[z] = math.Exp(rng.NormFloat64())
			for a, rest := len(sizes)-1, z; a >= 0; a, rest = a-1, rest/sizes[a] {
				if rest%sizes[a] > 0 {
					truth[z] *= rare[a]
				}
			}
			sum += truth[z]
		}
		for z := range truth {
			truth[z] *= total / sum
		}
		w := query.AllMarginals(sizes, min(3, len(sizes)), 10_000).Maximal()
		o := dense.NewOracle(dense.PlanOf(w))
		answers, _ := o.Plan().NewAnswers()
		o.Eval(truth, answers)
		for _, sd := range []float64{30, 5, 1} {
			var ms []query.Measurement
			for i, c := range w.Cliques() {
				m := query.Measurement{Clique: c, Variance: sd * sd}
				for _, x := range answers[i] {
					m.Values = append(m.Values, x+sd*rng.NormFloat64())
				}
				ms = append(ms, m)
			}
			fit := must.Value(Fit(o, ms, total, FitSettings{Seed: seed}))(t)
			square, n, at := 0.0, 0.0, 0
			for _, m := range ms {
				for _, y := range m.Values {
					e := fit.answers[at] - y/sd
					square, n, at = square+e*e, n+1, at+1
				}
			}
			if most := n + 2*math.Sqrt(14*n) + 2*14; square > most { // Laurent, Massart 2000: exp(−14)
				t.Errorf("seed %d, sizes %v, noise %g: the answers are missed by %.0f, want at most %.0f of %.0f cells; step %d", seed, sizes, sd, square, most, n, fit.Iterations)
			}
		}
	}
}
