package plan

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// The noise of the number of people in each bin of row counts is multiplied by the rows of the bin.
func TestRowsSD(t *testing.T) {
	records := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, Other: true}, {Name: "kind", Type: domain.String, Values: []string{"a", "b"}, Other: true},
	}}
	d, err := records.WithEvents([]string{"sex"}, nil, []int64{1, 2, 3, 5}, 5) // 1, 2, 3 to 4, and 5 rows
	if err != nil {
		t.Fatal(err)
	}
	l, err := accountant.NewLedger(accountant.Params{Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	rows := d.Index(domain.RowsPerPerson)
	pair, other := Noisy{domain.Clique{0, rows}, 10}, Noisy{domain.Clique{0, 1}, 1e-6}
	want := math.Sqrt(10 * 3 * (1 + 4 + 3.5*3.5 + 25)) // three codes of sex are summed over
	if got := rowsSD(d, d.Sizes(), l, []Noisy{other, pair}); math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g", got, want)
	}
	if got := rowsSD(d, d.Sizes(), l, []Noisy{other}); !math.IsNaN(got) {
		t.Errorf("%g of tables without row counts", got)
	}
	if got := rowsSD(records, records.Sizes(), l, []Noisy{other}); !math.IsNaN(got) {
		t.Errorf("%g without events", got)
	}
	for units, large := range map[float64]bool{1000: false, 100: true} {
		var b strings.Builder
		writeEvents(&b, &Plan{RowsSD: want, Problem: solver.Problem{Units: units}})
		if strings.Contains(b.String(), "much for so few people") != large {
			t.Errorf("%g people: %q", units, b.String())
		}
	}
}
