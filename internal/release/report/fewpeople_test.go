package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The number of rows scatters with the people who have them, and closing lines and statement say so if it is much.
func TestRowsSD(t *testing.T) {
	records := &domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{{Name: "kind", Type: domain.String, Values: []string{"a"}, HasFallback: true}}}
	d := must.Value(records.WithEvents(nil, nil, []int64{1, 2, 100}, 100))(t)
	// 980 people with 1 row, and 20 with 100: 2980 rows, of variance 1000·(.98·1 + .02·10000 − 2.98²).
	m := &population.Model{Sizes: d.Sizes(), Weights: []float64{98, 0, 2}}
	want := math.Sqrt(1000*(.98+200-2.98*2.98)) / 2980
	got := report.RowsSD(d, m, 1000)
	must.Hold(t, math.Abs(got-want) <= 1e-9, "%g, want %g", got, want)
	must.Equal(t, report.RowsSD(records, &population.Model{Sizes: []int{1}, Weights: []float64{1}}, 1000), 0, "without events")
	for sd, says := range map[float64]bool{.019: false, .15: true} {
		p := report.Privacy{RowsSD: sd, RowsMax: 100, Statement: accountant.Statement{Epsilon: 1, Neighbouring: "AddRemove", Capacity: "1/2", RhoTotal: "1/2"}}
		var closing, page strings.Builder
		must.Do(t, report.WriteClosing(&closing, p, report.Written{Wrote: report.Wrote{Output: "out"}}))
		must.Do(t, report.WriteHTML(&page, report.Page{Privacy: p, Domain: d}))
		for _, out := range []string{closing.String(), page.String()} {
			must.Hold(t, strings.Contains(out, "15 % more or fewer (one standard deviation)") == says, "%g: %s", sd, out)
		}
	}
}
