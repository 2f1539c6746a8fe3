package report

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestMeasuredIsSaid: what is said of the measured error, by how much noise there is beside it.
func TestMeasuredIsSaid(t *testing.T) {
	for _, c := range []struct {
		counts, sd, predicted float64
		marginals, of         int
		want                  string
	}{
		{100, 1, .06, 10, 10, "average total variation 0.05 ± 0.00098 with 95 % confidence over all 10 widest marginals, privately for 1.0\u00a0% of the budget"},
		{100, 1, .06, 200, 1771, "over 200 of the 1,771 widest marginals, of all sizes"},
		{100, 40, .06, 1, 1, "± 0.039 with 95 % confidence over the widest marginal, privately for 1.0\u00a0% of the budget; with the prediction of 0.06 the estimate is 0.056"},
		{-10, 40, 0, 2, 2, "; the noise hides the error"},
		{100, 1100, .06, 2, 2, "no average total variation: the noise hides any error over all 2 widest marginals, with 1.0\u00a0% of the budget and so few units"},
	} {
		e := Errors{AverageTV: c.predicted}
		e.measure(&solver.MeasuredError{Distance: query.MeanDistance{Counts: c.counts, Variance: c.sd * c.sd}, Marginals: c.marginals, Of: c.of, Share: .01}, 1000)
		got := e.Measured.say(e.AverageTV)
		must.Hold(t, strings.Contains(got, c.want), "%+v: %s", c, got)
		must.Hold(t, !math.IsNaN(e.AverageTV) && e.AverageTV >= 0 && e.AverageTV <= 1, "%+v: an average total variation of %g", c, e.AverageTV)
	}
}
