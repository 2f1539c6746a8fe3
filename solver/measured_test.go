package solver

import (
	"math"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestMeasuredMarginals: all of a short workload, a part of a long one that does not depend on the order of its marginals, and
// none that are too large.
func TestMeasuredMarginals(t *testing.T) {
	sizes := make([]int, 20)
	for i := range sizes {
		sizes[i] = 2 + i%7
	}
	w := query.AllMarginals(sizes[:6], 3, 1e6)
	if got, of := MeasuredMarginals(w); len(got) != 20 || of != 20 {
		t.Errorf("%d of %d triples of six columns", len(got), of)
	}
	w = query.AllMarginals(sizes, 3, 1e6)
	got, of := MeasuredMarginals(w)
	must.Hold(t, len(got) == mostMeasured && of == 1140, "%d of %d triples of twenty columns", len(got), of)
	for i, j := 0, len(w.Marginals)-1; i < j; i, j = i+1, j-1 {
		w.Marginals[i], w.Marginals[j] = w.Marginals[j], w.Marginals[i]
	}
	again, _ := MeasuredMarginals(w)
	must.Hold(t, reflect.DeepEqual(got, again), "other marginals of a workload in another order")
	w = query.AllMarginals([]int{1 << 11, 1 << 11, 2}, 2, 1<<30)
	got, of = MeasuredMarginals(w)
	must.Hold(t, len(got) == 2 && of == 2, "%d of %d marginals; one is too large", len(got), of)
}

// TestEstimate: a measurement without much noise is the estimate, and one that is all noise leaves the prediction.
func TestEstimate(t *testing.T) {
	for _, c := range []struct{ counts, sd, predicted, want, tolerance float64 }{
		{2000, 1, .5, .1, .001}, {2000, 1, 0, .1, 1e-9}, {2000, 1e6, .5, .5, .001}, {-500, 100, 0, 0, 0}, {-500, 100, math.NaN(), 0, 0},
		{1500, 500, .1, .0875, 1e-9}, // both have a standard deviation of .025: the mean
		{600, 100, .006, .03, 1e-9},  // a prediction that is contradicted
	} {
		m := &MeasuredError{Distance: query.MeanDistance{Counts: c.counts, Variance: c.sd * c.sd}, Marginals: 1, Of: 1}
		got := m.Estimate(c.predicted, 10_000)
		must.Hold(t, math.Abs(got-c.want) <= c.tolerance, "%+v: estimate %g", c, got)
	}
}

// TestSharesLeft: shares of methods times what both reserves leave are exact, in lowest terms.
func TestSharesLeft(t *testing.T) {
	p := Problem{ErrorShare: ErrorShare(0), Workload: query.AllMarginals([]int{2, 3}, 2, 100), Criteria: Criteria{Limits: []Limit{{}}, Share: dp.ShareOf(5, 1000)}}
	must.Equal(t, withheld(p, nil), dp.ShareOf(3, 200), "withheld")
	must.Equal(t, left(dp.ShareOf(2, 10), withheld(p, nil)), dp.ShareOf(197, 1000), "left")
	must.Equal(t, withheld(p, []Access{{Noise: 1}}), dp.ShareOf(1, 200), "of a method with noise that is fixed: withheld")
	must.Hold(t, ErrorShare(-1).Num == 0 && ErrorShare(.0213) == dp.ShareOf(213, 10_000), "shares are read wrongly")
}
