package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Choices by the exponential mechanism among a best candidate and many that are as bad as hurts most fall short of the best by
// no more than Choices says, but for 5 % of runs (of 2,000, more than 160 fail with probability below 1e-9), and by at
// least half of that.
func TestChoices(t *testing.T) {
	const candidates, rounds, runs, scale = 1000, 40, 2000, 3.0
	rng := rand.New(rand.NewPCG(11, 3))
	for _, beta := range []float64{.05, .5} {
		bound := Choices(scale, candidates, rounds, beta)
		failed, most := 0, 0.0
		for range runs {
			short := 0.0
			for range rounds {
				const off = 5 * scale // of all candidates but one
				if rng.Float64() > 1/(1+(candidates-1)*math.Exp(-off/scale)) {
					short += off / rounds
				}
			}
			if short > bound {
				failed++
			}
			most = max(most, short)
		}
		if float64(failed) > runs*beta+math.Sqrt(runs)*1.4 || most < bound/2 {
			t.Errorf("beta %g: %d of %d runs fall short by more than %.3g, all by at most %.3g", beta, failed, runs, bound, most)
		}
	}
	if x, y := Choices(1, 100, 10, .05), Choices(1, 100, 1000, .05); !(x > y && y > math.Log(100)+1) {
		t.Errorf("10 rounds %g, 1,000 rounds %g", x, y)
	}
}

func ExampleSampling() {
	fmt.Printf("a table of 48,842 people is off by up to %.4f in one of 14,955 cells\n", Sampling(14_955, 48_842, .05))
	// Output: a table of 48,842 people is off by up to 0.0117 in one of 14,955 cells
}
