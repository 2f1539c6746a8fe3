package plan

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// The noise of the number of people in each bin of row counts is multiplied by the rows of the bin.
func TestRowsSD(t *testing.T) {
	records := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, Other: true}, {Name: "kind", Type: domain.String, Values: []string{"a", "b"}, Other: true},
	}}
	d := must.Value(records.WithEvents([]string{"sex"}, nil, []int64{1, 2, 3, 5}, 5))(t)
	l := must.Value(accountant.NewLedger(accountant.Params{Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9}))(t)
	rows := d.Index(domain.RowsPerPerson)
	pair, other := Noisy{domain.Clique{0, rows}, 10}, Noisy{domain.Clique{0, 1}, 1e-6}
	want := math.Sqrt(10 * 3 * (1 + 4 + 3.5*3.5 + 25)) // three codes of sex are summed over
	got := rowsSD(d, d.Sizes(), l, []Noisy{other, pair})
	must.Hold(t, math.Abs(got-want) <= 1e-9, "%g, want %g", got, want)
	if got := rowsSD(d, d.Sizes(), l, []Noisy{other}); !math.IsNaN(got) {
		t.Errorf("%g of tables without row counts", got)
	}
	if got := rowsSD(records, records.Sizes(), l, []Noisy{other}); !math.IsNaN(got) {
		t.Errorf("%g without events", got)
	}
}

// TestOrderPays: a plan says what an order is good for, that few people's noise leaves nothing of it, and that fewer remembered
// columns help.
func TestOrderPays(t *testing.T) {
	records := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Int64, Cuts: []int64{0, 1000}, Learned: domain.DefaultLearned, Resolution: 1, HasFallback: true},
	}}
	for _, name := range []string{"a", "b"} {
		var values []string
		for v := range 12 {
			values = append(values, strconv.Itoa(v))
		}
		records.Attributes = append(records.Attributes, domain.Attribute{Name: name, Type: domain.String, Values: values, Other: true})
	}
	people, err := records.WithEvents(nil, nil, []int64{1, 2, 3, 5}, 5)
	must.Do(t, err)
	follow := func(units float64, previous ...string) (float64, string) {
		d := people
		if previous != nil {
			d, err = people.WithSequence(domain.Sequence{Column: "day", Previous: previous})
			must.Do(t, err)
		}
		p := must.Value(Make(solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: units}, "rake", 0, true, 0, nil))(t)
		var b strings.Builder
		must.Do(t, p.WriteText(&b))
		lines := strings.Split(b.String(), "\n")
		k := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "order ") })
		if k < 0 {
			return p.FollowTV, ""
		}
		return p.FollowTV, lines[k]
	}
	tv, said := follow(50_000)
	must.Hold(t, math.IsNaN(tv) && said == "", "without an order: %g, %q", tv, said)
	many, paying := follow(50_000, "a", "b")
	few, not := follow(1_000, "a", "b")
	one, _ := follow(1_000, "a")
	must.Hold(t, many < few && one < few && many > 0 && few < 1, "many people: %g; few: %g, with one remembered column %g", many, few, one)
	must.Hold(t, strings.Contains(paying, "what follows a value misses") && !strings.Contains(paying, "HARDLY") && strings.Contains(not, "WILL HARDLY PAY"),
		"many people: %q; few: %q", paying, not)
}

// TestNoisiest: the column whose table of transitions has the most noise is named if that alone is worse than rows dealt at random,
// even of a column whose value decides the next: with few people, with many values, and of an assumed number of people later. Without
// it the noise of others is less.
func TestNoisiest(t *testing.T) {
	records := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Int64, Cuts: []int64{0, 1000}, Learned: domain.DefaultLearned, Resolution: 1, HasFallback: true},
		{Name: "wide", Type: domain.Int64, Cuts: domain.EqualCuts(0, 30, 30), Resolution: 1, HasFallback: true},
		{Name: "narrow", Type: domain.Int64, Cuts: domain.EqualCuts(0, 8, 8), Resolution: 1, HasFallback: true},
	}}
	people := must.Value(records.WithEvents(nil, nil, []int64{1, 2, 3, 5}, 5))(t)
	noisiest := func(units, epsilon float64, given bool, previous ...string) Forgotten {
		d := must.Value(people.WithSequence(domain.Sequence{Column: "day", Previous: previous}))(t)
		p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: dp.Epsilon(epsilon), Delta: 1e-9, Units: units}
		if f := Noisiest(p, must.Value(methods.Lookup("rake"))(t), given); f != nil {
			return *f
		}
		return Forgotten{}
	}
	for _, test := range []struct {
		units, epsilon float64
		given          bool
		previous       []string
		want           string
	}{
		{100_000, 1, true, []string{"wide", "narrow"}, ""},
		{2_500, 1, true, []string{"wide", "narrow"}, "wide"},
		{50_000, .05, true, []string{"narrow", "wide"}, "wide"},
		{2_500, 1, true, []string{"narrow"}, ""},
		{50, 1, true, []string{"narrow"}, "narrow"},
		{2_500, 1, true, []string{"wide"}, "wide"},
		{2_500, 1, false, []string{"wide"}, ""},
		{2_500, 1, true, []string{}, ""},
	} {
		got := noisiest(test.units, test.epsilon, test.given, test.previous...)
		must.Hold(t, got.Column == test.want && (got.Column == "" || got.Noise > got.Dealt), "%v: %v", test, got)
	}
	both, one := noisiest(1_000, 1, true, "wide", "narrow"), noisiest(1_000, 1, true, "wide")
	must.Hold(t, one.Noise < both.Noise, "noise %v alone, %v with another", one, both)
}
