package rake

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// TestAssumedPairs: two independent columns whose sum is a third one stay nearly independent, though the pairs that
// were released are those with the sum. Fixed seed.
func TestAssumedPairs(t *testing.T) {
	const n, k = 100_000, 32
	p := sampled(problem([]int{k, k, 2 * k, 12, 12}, 2, dp.AddRemove))
	p.Units = n
	rng := rand.New(rand.NewPCG(4, 4))
	data := records{sizes: p.Workload.Sizes, columns: make([][]domain.Code, 5)}
	for range n {
		a, b := rng.IntN(k), rng.IntN(k)
		for i, v := range []int{a, b, a + b, (a + rng.IntN(12)) % 12, rng.IntN(12)} {
			data.columns[i] = append(data.columns[i], domain.Code(v))
		}
	}
	r := solved(t, p, data, 1)
	off, counts := 0.0, data.marginal(domain.Clique{0, 1})
	for i, x := range r.Model.Marginal(domain.Clique{0, 1}, nil) {
		off += math.Abs(x-counts[i]) / (2 * n)
	}
	t.Logf("independent columns with a sum: total variation %.4f", off)
	if most := .06; off > most {
		t.Errorf("independent columns with a sum: total variation %.4f, want at most %g", off, most)
	}
}
