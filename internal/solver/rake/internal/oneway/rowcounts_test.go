package oneway

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// geometric returns a number of at least 1 with the given mean.
func geometric(rng *rand.Rand, mean float64) int64 {
	return 1 + int64(math.Log(1-rng.Float64())/math.Log(1-1/mean))
}

// The noisy tail of the number of rows neither adds rows nor takes them away: of 50,000 people they are within 2 % in each
// of ten draws of noise, 12 in a bin, also if a million rows are allowed. Without the laws of tails the rows of the last one
// are twenty times too many.
func TestRowCounts(t *testing.T) {
	const people, sigma = 50_000, 12
	for name, x := range map[string]struct {
		most  int64
		least int64
		draw  func(rng *rand.Rand) int64
	}{
		"geometric":                  {100, 1, func(rng *rand.Rand) int64 { return geometric(rng, 8) }},
		"geometric, a long way off":  {1000, 1, func(rng *rand.Rand) int64 { return geometric(rng, 8) }},
		"log-normal":                 {1000, 1, func(rng *rand.Rand) int64 { return 1 + int64(math.Exp(1.4+.8*rng.NormFloat64())) }},
		"people without rows":        {200, 0, func(rng *rand.Rand) int64 { return rng.Int64N(3) * geometric(rng, 5) }},
		"two kinds of people":        {200, 1, func(rng *rand.Rand) int64 { return geometric(rng, 3) + 40*(rng.Int64N(10)/9) }},
		"everybody has as many":      {100, 1, func(*rand.Rand) int64 { return 12 }},
		"nobody is under the most":   {10, 1, func(rng *rand.Rand) int64 { return 10 + geometric(rng, 9) }},
		"one row":                    {1, 1, func(*rand.Rand) int64 { return 1 }},
		"a million rows are allowed": {domain.MaxRowsPerPerson, 1, func(rng *rand.Rand) int64 { return geometric(rng, 8) }},
	} {
		cuts := domain.EqualRatioCuts(x.most)
		if x.least == 0 {
			cuts = append([]int64{0}, cuts...)
		}
		cuts = append(cuts, x.most)
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 1))
			exact, mean, total := make([]float64, len(cuts)-1), make([]float64, len(cuts)-1), 0.0
			for range people {
				m := min(x.draw(rng), x.most)
				b := len(exact) - 1
				for cuts[b] > m {
					b--
				}
				exact[b]++
				mean[b] += float64(m)
				total += float64(m)
			}
			noisy, off := make([]float64, len(exact)), 0.0
			for b := range noisy {
				noisy[b] = exact[b] + sigma*rng.NormFloat64()
				off += noisy[b] - exact[b]
			}
			tv, rows := 0.0, 0.0
			for b := range noisy {
				noisy[b] -= off / float64(len(noisy)) // a residual, and the total
			}
			counts := rowCounts(noisy, sigma, cuts)
			for b, n := range counts {
				must.Need(t, n >= 0, "%s: a count of %g", name, n)
				if mean[b] /= exact[b]; exact[b] == 0 {
					mean[b] = float64(cuts[b]+cuts[b+1]) / 2
				}
				tv += math.Abs(n-exact[b]) / 2 / people
				rows += n * mean[b]
			}
			if math.Abs(summation.Pairwise(counts)-people) > 1e-6 {
				t.Errorf("%s, %d: the counts sum to %g", name, seed, summation.Pairwise(counts))
			}
			must.Hold(t, tv <= .005 && math.Abs(rows/total-1) <= .02,
				"%s, %d: total variation %.4f, rows off by %.2f %%; want .005 and 2 %%", name, seed, tv, 100*(rows/total-1))
		}
	}
}
