package mechanism

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/dptest"
	"github.com/dapple-dp/dapple/dp/noise"
)

// maxLaw returns the law of laplaceMax for whole-number errors: Σ_z pmf(z)·Π_j P(no other candidate is
// ahead), where an earlier candidate is ahead on ties.
func maxLaw(errors []int64, scale float64) []float64 { return maxLawWithin(errors, scale, 60) }

// maxLawWithin sums over noise of at most reach.
func maxLawWithin(errors []int64, scale, reach float64) []float64 {
	var scores []float64
	for _, e := range errors {
		scores = append(scores, float64(e), -float64(e))
	}
	a := math.Exp(-1 / scale)
	pmf := func(z float64) float64 { return (1 - a) / (1 + a) * math.Pow(a, math.Abs(z)) }
	atMost := func(z float64) float64 { // closed form of the distribution function
		if z < 0 {
			return math.Pow(a, -z) / (1 + a)
		}
		return 1 - math.Pow(a, z+1)/(1+a)
	}
	law := make([]float64, len(scores))
	for i := range scores {
		for z := -reach; z <= reach; z++ {
			p := pmf(z)
			for j := range scores {
				if j < i {
					p *= atMost(scores[i] + z - scores[j] - 1)
				} else if j > i {
					p *= atMost(scores[i] + z - scores[j])
				}
			}
			law[i] += p
		}
	}
	return law
}

// TestLaplaceMaxLoss compares the exact laws of neighbours, coarse noise with many ties: the log ratio
// is at most r = R/scale, for errors that one record changes by 1 in one or two cells.
func TestLaplaceMaxLoss(t *testing.T) {
	const scale = 1.5
	for _, n := range relations {
		worst, divergence := 0.0, 0.0
		for _, x := range dptest.Tables(3, 3) {
			for _, y := range dptest.Neighbours(n, x) {
				p, q := maxLaw(lessOne(x), scale), maxLaw(lessOne(y), scale)
				sum, kl := 0.0, 0.0
				for i := range p {
					sum += p[i]
					worst = max(worst, math.Abs(math.Log(p[i]/q[i])))
					kl += p[i] * math.Log(p[i]/q[i])
				}
				divergence = max(divergence, kl)
				if math.Abs(sum-1) > 1e-12 {
					t.Fatalf("law of %v sums to %g", x, sum)
				}
			}
		}
		r := 2 / scale
		if worst > r+1e-12 || worst < .5*r {
			t.Errorf("%v: log ratio %g, claimed %g", n, worst, r)
		}
		if rho := r * math.Tanh(r/2); divergence > rho || divergence < .1*rho {
			t.Errorf("%v: divergence %g, claimed %g", n, divergence, rho)
		}
	}
}

// lessOne subtracts a model of one unit in each cell.
func lessOne(counts []int64) []int64 {
	errors := make([]int64, len(counts))
	for i, c := range counts {
		errors[i] = c - 1
	}
	return errors
}

// TestLaplaceMaxDraws compares draws with the law. False alarms: 1e-6.
func TestLaplaceMaxDraws(t *testing.T) {
	errors := []int64{0, 2, -3, 1}
	laplace, err := noise.NewLaplace(big.NewRat(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	src := root(t).Stream("test", 0, [32]byte{})
	law := maxLaw(errors, 1.5)
	seen := make([]int, len(law))
	for range 60_000 {
		seen[laplaceMax(errors, laplace, src)]++
	}
	if p := dptest.ChiSquare(seen, law); p < dptest.Alarm {
		t.Errorf("p = %g: %v against %v", p, seen, law)
	}
}

// logMaxLaw returns the logarithm of the law of laplaceMax for errors in steps of 2^-20 counts, whose noise
// has so fine a grid that ties have a probability below 1e-6: ∫ f(z − s_i)·Π_{j≠i} F(z − s_j) dz for Laplace
// densities f, which are smooth between the scores.
func logMaxLaw(errors []int64, e accountant.Event) []float64 {
	scale, _ := e.Steps(0).Float64()
	var scores []float64
	for _, x := range errors {
		scores = append(scores, float64(x)/scale, -float64(x)/scale)
	}
	below := func(z float64) float64 {
		if z < 0 {
			return math.Exp(z) / 2
		}
		return 1 - math.Exp(-z)/2
	}
	edges := slices.Sorted(slices.Values(scores))
	edges = append([]float64{edges[0] - 40}, append(edges, edges[len(edges)-1]+40)...)
	law := make([]float64, len(scores))
	for i, s := range scores {
		p := 0.0
		for k := range edges[1:] {
			p += integral(edges[k], edges[k+1], func(z float64) float64 {
				f := math.Exp(-math.Abs(z-s)) / 2
				for j, other := range scores {
					if j != i {
						f *= below(z - other)
					}
				}
				return f
			})
		}
		law[i] = math.Log(p)
	}
	return law
}

// integral is Simpson's rule in steps of at most 1/16: an error below 1e-8 for sums of a few exponentials.
func integral(a, b float64, f func(float64) float64) float64 {
	n := 2 * int(math.Ceil(8*(b-a)))
	if n == 0 {
		return 0
	}
	h, sum := (b-a)/float64(n), f(a)+f(b)
	for k := 1; k < n; k++ {
		sum += float64(2+2*(k%2)) * f(a+float64(k)*h)
	}
	return sum * h / 3
}

// TestLogMaxLaw: the integral is the limit of the sums that maxLaw takes, and sums to 1.
func TestLogMaxLaw(t *testing.T) {
	const fine = 64.
	e := accountant.Event{Kind: dp.LaplaceMax, Scales: []*big.Rat{big.NewRat(3, 2)}}
	steps := []int64{0, 2, -3, 1}
	total := 0.0
	for i, p := range exp(logMaxLaw(steps, e)) {
		total += p
		refined := []int64{0, 2 * fine, -3 * fine, fine}
		if want := maxLawWithin(refined, 1.5*fine, 60*fine)[i]; math.Abs(p-want) > .01 {
			t.Errorf("candidate %d: %g, on a fine grid %g", i, p, want)
		}
	}
	if math.Abs(total-1) > 1e-7 {
		t.Errorf("the law sums to %.10f", total)
	}
}
