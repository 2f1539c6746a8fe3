package dense

import (
	"math"
	"math/rand/v2"
)

// Width estimates the Gaussian width of the workload, w = E max_{A,c} |Σ_{z: z_A=c} ξ(z)| with ξ standard
// normal on the universe, as the mean of the given number of draws, with its standard error. It reads no
// data: equal plans and seeds give equal widths. Cost: one evaluation and k normal numbers per draw.
func Width(o *Oracle, draws int, seed uint64) (mean, standardError float64) {
	rng := rand.New(rand.NewPCG(seed, 0x7769647468))
	xi := make([]float64, o.plan.k)
	views, flat := o.plan.NewAnswers()
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
