package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
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

// TestRareValues: columns whose released variance comes from a few records are named, with as many records as noise hides.
func TestRareValues(t *testing.T) {
	column := func(name string, a domain.Attribute) domain.Attribute {
		a.Name, a.Type, a.Cuts, a.Resolution = name, domain.Int64, []int64{0, 99}, 1
		return a
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		column("even", domain.Attribute{Runs: []domain.Run{{From: 0, Share: 1}}}),
		column("tail", domain.Attribute{Runs: []domain.Run{{From: 0, Share: .97}, {From: 1, Share: .03}}}),
		column("declared", domain.Attribute{}),
	}}
	p := Page{Domain: d, Privacy: Privacy{Statement: accountant.Statement{Ledger: []accountant.Line{{Stage: "trees", Scale: "sigma2=400/1"}}}}}
	p.Privacy.Units.Count = 2000
	names, records := p.unsure()
	must.Hold(t, fmt.Sprint(names) == "[tail]" && records == 60 && math.Abs(p.Privacy.treeNoise()-20) <= 1e-12,
		"%v, %v records, noise %v", names, records, p.Privacy.treeNoise())
	card := strings.Join(p.card(known{}).Not, "\n")
	for _, want := range []string{"largest values of tail: their 60 farthest", "fewer than about 60 rows"} {
		must.Hold(t, strings.Contains(card, want), "no %q in %s", want, card)
	}
	p.Privacy.Ledger = nil
	card = strings.Join(p.card(known{}).Not, "\n")
	must.Hold(t, !strings.Contains(card, "farthest") && !strings.Contains(card, "far from all"), "without trees: %s", card)
}
