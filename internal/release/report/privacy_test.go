package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestIDRules: a statement says what was made of privacy IDs on request, which makes one ID of several, and that
// the form of the input is not covered.
func TestIDRules(t *testing.T) {
	const usual = "one record for each privacy ID: the one of least AES-128 rank; records without an ID are not used"
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Bool, Values: []string{"true"}, Null: true}}}
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{}, usual},
		{Run{Told: Told{TrimID: true}}, usual + "; blanks around an ID are not part of it (csv: trim_id)"},
		{Run{Told: Told{NullID: []string{"NA"}}}, usual + `; an ID that reads "NA" counts as none (csv: null_id)`},
	} {
		c.run.Domain = d
		p := New(c.run)
		must.Hold(t, p.Bounding == c.want, "got %q, want %q", p.Bounding, c.want)
		must.Hold(t, slices.ContainsFunc(p.NotCover, func(s string) bool {
			return strings.Contains(s, "a quote that opens a cell and never closes ends the run")
		}),
			"the form of the input passes for covered")
	}
}

// TestStatementInWords: a statement says unit, relation, meaning, process and dictionary, for each relation and budget.
func TestStatementInWords(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "x", Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true, Fallback: 1},
		{Name: "y", Type: domain.Date, Cuts: []int64{0, 31, 59}, Resolution: 1, Null: true},
		{Name: "z", Type: domain.String, Values: []string{"a"}, Other: true, OtherValue: "o", Null: true},
	}}
	r := Run{Domain: d, Statement: accountant.Statement{Epsilon: 1, Delta: 1e-3, Neighbouring: "AddRemove"}, Total: query.Total{Units: 5000}}
	p := New(r)
	must.Hold(t, p.Unit == "one person: all rows with the same id count as one, and one row of each is used" && p.Relation == "tables X and X′, one of them with all rows of one person more" && p.Process.Variant == "approximate differential privacy",
		"%q, %q, %+v", p.Unit, p.Relation, p.Process)
	if m := p.Meaning; math.Abs(m.BeliefAtMost-.731058578630005) > 1e-12 || m.DeltaPerUnit != 5 || m.Warning == "" || !strings.HasPrefix(m.Anonymity, "That rows are synthetic says nothing by itself") {
		t.Errorf("%+v", m)
	}
	got := fmt.Sprint(p.Dictionary)
	want := "[{x BOOL 2 [false true] [] false  false false true  } {y DATE 3 [] [1970-01-01 1970-02-01 1970-03-01] false  true false NULL  } {z STRING 3 [a] [] false  true true other  }]"
	must.Hold(t, got == want, "got %s, want %s", got, want)
	people := must.Value(d.WithEvents([]string{"x"}, nil, []int64{1}, 9))(t)
	p = New(Run{Domain: people, Rows: 40, Total: r.Total})
	must.Hold(t, p.Unit == "one person: all rows with the same id count as one, who weighs 1 however many they are", "of people with rows: %q", p.Unit)
	page := Page{Privacy: p, Domain: people}
	facts := page.facts()
	must.Hold(t, facts[len(facts)-1].More == "rows written: 40, at most 9 for each", "%+v", facts)
	c := fmt.Sprint(page.card(known{}))
	must.Hold(t, strings.Contains(c, "Nobody has more than 9.") && !strings.Contains(c, "has one row here"), "%v", c)
	r.Statement.Delta, r.Domain = 0, &domain.Domain{Attributes: d.Attributes}
	if p := New(r); p.Process.Variant != "pure differential privacy" || p.Meaning.Warning != "" || p.Unit != "one row: every row of the table counts as a person" {
		t.Errorf("%q, %+v", p.Unit, p.Meaning)
	}
}
