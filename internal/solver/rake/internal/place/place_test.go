package place

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestUndo: merging the codes of an undone model again gives the model back, and original values share
// their code as planned; exactly for a universe, and for a sample of equal weights to within a record
// per value.
func TestUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	m := oneway.Merge([]oneway.Table{{Counts: []float64{500, 10, 480, 5, 5}, Sigma: 20}, {Counts: []float64{400, 600}, Sigma: 20}, {Counts: []float64{-30, 990, 40}, Sigma: 20}}, 1000, nil)
	sizes := []int{5, 2, 3}
	whole := m.Universe(1000)
	for i := range whole.Weights {
		whole.Weights[i] *= rng.Float64()
	}
	sample := whole.Resample(3000, rng)
	for name, c := range map[string]struct {
		merged, undone *population.Model
		slack          float64
	}{
		"universe": {whole, undoUniverse(m, whole, sizes), 1e-9},
		"sample":   {sample, undoSample(m, sample, sizes, nil, rng), 1.01 * sample.Weights[0]},
	} {
		err := c.undone.Validate()
		must.Need(t, err == nil, "%v %v", name, err)
		back := make([]float64, len(whole.Weights))
		for i, w := range c.undone.Weights {
			codes := c.undone.Record(i, make([]domain.Code, 3))
			for a := range codes {
				codes[a] = m.Codes[a][codes[a]]
			}
			back[domain.Clique{0, 1, 2}.Cell(m.Sizes, codes)] += w
		}
		for z, w := range c.merged.Marginal(domain.Clique{0, 1, 2}, nil) {
			must.Hold(t, math.Abs(back[z]-w) <= 1e-9, "%s: merged record %d has weight %g, want %g", name, z, back[z], w)
		}
		for a := range sizes {
			got, code := c.undone.Marginal(domain.Clique{a}, nil), c.merged.Marginal(domain.Clique{a}, nil)
			for v, w := range got {
				want := code[m.Codes[a][v]] * m.Within[a][v]
				must.Hold(t, math.Abs(w-want) <= c.slack, "%s: attribute %d value %d has weight %g, want %g", name, a, v, w, want)
			}
		}
	}
}
