package bounds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/model/theory"
)

// Each bound with constants, against what it bounds: it holds, and is at most so many times too large. Seeds are fixed.
func TestBoundsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	mean := func(runs int, one func() float64) float64 {
		sum := 0.0
		for range runs {
			sum += one() / float64(runs)
		}
		return sum
	}
	noisy := func(cells int, scale float64) []float64 {
		y := make([]float64, cells)
		for i := range y {
			y[i] = scale * rng.NormFloat64()
		}
		return y
	}
	const cells, units, scale = 200, 1000.0, 12.0

	// The counts are 0, and the fit errs in the worst direction from its answers, as far as is checked.
	worst := mean(2000, func() float64 {
		most := 0.0
		for _, y := range noisy(cells, scale) {
			most = max(most, math.Abs(y)+scale*math.Sqrt(2*math.Log(2*cells)))
		}
		return most / units
	})
	holds(t, "Measured", Measured(scale, cells, units), worst, 1.25)

	// One marginal of all cells, fitted exactly: the nearest distribution to its answers. The table is even, or one record.
	for _, point := range []bool{false, true} {
		l2 := math.Sqrt(mean(500, func() float64 {
			y := noisy(cells, scale/units)
			truth := make([]float64, cells)
			for i := range truth {
				truth[i] = 1 / float64(cells)
				if point {
					truth[i] = max(0, 1-float64(i))
				}
				y[i] += truth[i]
			}
			sum := 0.0
			for i, x := range nearest(y) {
				sum += (x - truth[i]) * (x - truth[i])
			}
			return sum
		}))
		holds(t, "LeastSquares", LeastSquares(scale, cells, 1, units), l2, 25)
	}

	// Tables of 400 units with m columns, a coin each: with probability .95 no share is farther off.
	sampled := make([]float64, 2000)
	rare := make([]float64, len(sampled))
	for i := range sampled {
		for range 50 {
			heads, few := 0, 0
			for range 400 {
				x := rng.Float64()
				if x < .5 {
					heads++
				}
				if x < .02 {
					few++
				}
			}
			sampled[i] = max(sampled[i], math.Abs(float64(heads)/400-.5))
			rare[i] = max(rare[i], math.Abs(float64(few)/400-.02))
		}
	}
	slices.Sort(sampled)
	slices.Sort(rare)
	holds(t, "Sampling", theory.Sampling(50, 400, .05), sampled[len(sampled)*95/100], 1.3)
	holds(t, "SamplingOf", SamplingOf(.02, 50, 400, .05), rare[len(rare)*95/100], 1.6)
}

func holds(t *testing.T, name string, bound, measured, factor float64) {
	t.Helper()
	t.Logf("%s: bound %.4g, measured %.4g", name, bound, measured)
	if bound < measured || bound > factor*measured {
		t.Errorf("%s: the bound is %.4g and what it bounds %.4g: want it above, by at most %g times", name, bound, measured, factor)
	}
}

// nearest returns the distribution with the least squared distance from y.
func nearest(y []float64) []float64 {
	sorted := slices.Sorted(slices.Values(y))
	slices.Reverse(sorted)
	sum, shift := 0.0, 0.0
	for i, x := range sorted {
		sum += x
		if s := (sum - 1) / float64(i+1); s < x {
			shift = s
		}
	}
	out := make([]float64, len(y))
	for i, x := range y {
		out[i] = max(0, x-shift)
	}
	return out
}

// Multiplicative weights with steps of one size, whose choices are private, keep to Multiplicative in the mean: here on two
// records of 64, that differ in all of 6 bits, with the shares of single records as queries, both signs. The bound is at
// most 4 times the error.
func TestMultiplicativeWeights(t *testing.T) {
	const k, rho, units = 64, .05, 300.0
	_, best := Multiplicative(k, k, units, 2, 1, rho, 0)
	rounds := int(best)
	bound, _ := Multiplicative(k, k, units, 2, 1, rho, float64(rounds))
	rng := rand.New(rand.NewPCG(9, 2))
	b := 2 * math.Sqrt(float64(rounds)/(8*rho))
	step := math.Sqrt(8 * math.Log(k) / float64(rounds))
	truth := make([]float64, k)
	truth[0], truth[k-1] = units/2, units/2
	total := 0.0
	const runs = 60
	for range runs {
		theta, average := make([]float64, k), make([]float64, k)
		for range rounds {
			sum := 0.0
			for _, x := range theta {
				sum += math.Exp(x)
			}
			most, at, sign := math.Inf(-1), 0, 1.0
			for z, x := range theta {
				p := math.Exp(x) / sum
				average[z] += p / float64(rounds)
				for _, s := range []float64{1, -1} { // the exponential mechanism, by Gumbel noise
					if score := s*(truth[z]-units*p)/b - math.Log(rng.ExpFloat64()); score > most {
						most, at, sign = score, z, s
					}
				}
			}
			theta[at] += sign * step
		}
		worst := 0.0
		for z, p := range average {
			worst = max(worst, math.Abs(truth[z]/units-p))
		}
		total += worst / runs
	}
	holds(t, "Multiplicative", bound, total, 4)
}
