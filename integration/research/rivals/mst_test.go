package rivals

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// Values below three standard deviations of noise have one code together, with the sum of their counts and of its variances.
func TestMergeRare(t *testing.T) {
	merge, known := mergeRare([]int{5, 2}, []query.Measurement{
		{Clique: domain.Clique{0}, Values: []float64{-4, 90, 29, 30, 7}, Variance: 100},
		{Clique: domain.Clique{1}, Values: []float64{60, 60}, Variance: 100},
	})
	want := []domain.Code{2, 0, 2, 1, 2}
	must.Hold(t, slices.Equal(merge[0], want) && slices.Equal(merge[1], []domain.Code{0, 1}), "codes %v, want %v and 0 1", merge, want)
	if got := known[0]; !slices.Equal(got.values, []float64{90, 30, 32}) || math.Abs(got.precision[2]-1./300) > 1e-12 {
		t.Errorf("counts %v with precisions %v", got.values, got.precision)
	}
}

// The nearest distribution of one column is the projection on the simplex: here 2 off what is above 0, and 0 elsewhere. Beside
// a pair with another margin it is between the two, nearer to the more precise one.
func TestNearestTree(t *testing.T) {
	near := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if math.Abs(got[i]-want[i]) > .05 {
				t.Errorf("%s: %.3f, want %.3f", what, got, want)
				return
			}
		}
	}
	one := domain.Clique{0}
	alone := knownTable{one, []float64{62, 42, -20}, []float64{1, 1, 1}}
	near("column", nearest([]int{3}, []knownTable{alone}, 100).Marginal(one, make([]float64, 3)), []float64{60, 40, 0})
	pair := knownTable{domain.Clique{0, 1}, []float64{20, 20, 30, 30}, []float64{1, 1, 1, 1}}
	column := knownTable{one, []float64{70, 30}, []float64{1, 1}}
	// With x in the first value, the loss is 2·(x − 70)² of the column and (x − 40)² of the pair: least at 60.
	near("column beside a pair", nearest([]int{2, 2}, []knownTable{column, pair}, 100).Marginal(one, make([]float64, 2)), []float64{60, 40})
}

// Values are merged for good, so that an error cannot be measured afterwards.
func TestMergingRefusesAnErrorShare(t *testing.T) {
	p := solvertest.Problem(solvertest.Tree10(), 2, dp.AddRemove, 1, false)
	p.ErrorShare = dp.ShareOf(1, 10)
	must.Fails(mst.Accesses(p))(t, "it merges values")
	must.Passes(adaptive.Accesses(p))(t)
}
