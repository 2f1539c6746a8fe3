package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// units is how many records a fit of tests has.
const units = 20_000

// linkedFit returns the fit of records in which every attribute follows a hidden number, and the exact table of a clique on
// merged codes. One-ways are known but for the noise that they are said to have, of standard deviation sigma.
func linkedFit(sizes []int, sigma float64) (*Fit, func(domain.Clique) []float64) {
	rng := rand.New(rand.NewPCG(1, units))
	data := &population.Model{Sizes: sizes, Columns: make([][]domain.Code, len(sizes)), Weights: slices.Repeat([]float64{1}, units)}
	for range units {
		hidden := rng.Float64()
		for a, k := range sizes {
			data.Columns[a] = append(data.Columns[a], domain.Code(min(max(int((hidden+.25*rng.NormFloat64())*float64(k)), 0), k-1)))
		}
	}
	ones := oneway.Uniform(nil, sizes, query.Total{Units: units})
	for a, k := range sizes {
		values := data.Marginal(domain.Clique{a}, nil)
		population.Center(values, []int{k})
		ones.Add(a, query.Measurement{Values: values, Variance: sigma * sigma * (1 - 1/float64(k))})
	}
	p := solver.Problem{Workload: query.AllMarginals(sizes, 3, 10_000), Neighbouring: dp.AddRemove}
	merged := oneway.Merge(ones.List, units, nil)
	c := choose.NewCandidates(choose.Law{Power: 1}, choose.NewTargets(p), ones, merged, units, false)
	return New(p, Options{Deviation: .8}, c, rng), func(q domain.Clique) []float64 {
		exact := data.Marginal(q, nil)
		whole := make([]int64, len(exact))
		for i, x := range exact {
			whole[i] = int64(x)
		}
		var out []float64
		for _, n := range merged.Codes.Merge(q, sizes, whole) {
			out = append(out, float64(n))
		}
		return out
	}
}

// TestTakeRefines: a second residual of a table is averaged in by precision, and its ridge falls as its
// variance does.
func TestTakeRefines(t *testing.T) {
	f, _ := linkedFit([]int{2, 2, 2}, 5)
	c := f.Pairs[0]
	c.Score = 500
	f.Add(c, query.Measurement{Clique: c.Clique, Values: []float64{8, -8, -8, 8}, Variance: 4})
	first := f.measured[c.Clique.Key()]
	ridge := first.table.Ridge[0]
	f.Add(c, query.Measurement{Clique: c.Clique, Values: []float64{12, -12, -12, 12}, Variance: 4. / 3})
	got := f.measured[c.Clique.Key()]
	must.Hold(t, got == first && math.Abs(got.values[1]+11) <= 1e-9 && math.Abs(got.precision-1) <= 1e-9 && math.Abs(got.table.Ridge[0]-ridge/4) <= 1e-9*ridge,
		"values %v, precision %g, ridge %g from %g", got.values, got.precision, got.table.Ridge[0], ridge)
}

// TestTreeMeetsItsPairs: the pairs that scored highest are fitted in the tree before the sample is drawn.
func TestTreeMeetsItsPairs(t *testing.T) {
	f, exact := linkedFit([]int{6, 30, 40, 50, 20}, .1)
	for _, c := range f.Pairs {
		values := exact(c.Clique)
		for i, x := range values {
			c.Score += math.Abs(x - c.Base[i])
		}
		population.Center(values, population.Shape(f.Merged.Sizes, c.Clique))
		f.Add(c, query.Measurement{Clique: c.Clique, Values: values, Variance: .01})
	}
	tree := f.tree()
	must.Hold(t, tree.Cells() <= TreeCells, "a tree of %d cells", tree.Cells())
	best := f.Pairs[0]
	for _, c := range f.Pairs {
		if c.Score > best.Score && tree.Covers(c.Clique) {
			best = c
		}
	}
	distance, h := 0.0, exact(best.Clique)
	for c, g := range tree.Marginal(best.Clique, make([]float64, len(h))) {
		distance += math.Abs(g-h[c]) / 2 / units
	}
	t.Logf("pair %v: total variation %g", best.Clique, distance)
	must.Hold(t, distance <= .02, "pair %v: total variation %g", best.Clique, distance)
}
