package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/pagetest"
)

// orderedPage is a report on visits in the order of a column of a type: half of all rows are first ones, of kind a. After a
// come b and a, three to one; after b comes a. Gaps are 0 and 1, one to three.
func orderedPage(t *testing.T, day domain.Attribute) Page {
	t.Helper()
	p := madePage(1, 2, []string{"x"})
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{day,
		{Name: "kind", Type: domain.String, Values: []string{"a", "b"}, HasFallback: true}}}
	d, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(5), 5)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: day.Name})
	}
	must.Do(t, err)
	before := d.Events.Before(0)
	p.Domain, p.Marginals = d, []Marginal{
		{Clique: domain.Clique{0}, Fitted: []float64{.125, .375, .5}, FittedError: []float64{.01, .02, .03}},
		{Clique: domain.NewClique(1, before), Fitted: []float64{.1, .1, .5, .3, 0, 0}}, // (a, a), (a, b), (a, none), (b, a), …
	}
	return p
}

// The page of rows in order has the gaps of later rows, and what follows each value, first rows by themselves.
func TestPageShowsTheOrder(t *testing.T) {
	for unit, day := range map[string]domain.Attribute{
		"days":    {Name: "day", Type: domain.Date, Cuts: domain.EqualCuts(0, 1, 2), Resolution: 1, HasFallback: true},
		"hours":   {Name: "day", Type: domain.DateTime, Cuts: []int64{0, 3_600_000_000, 3_600_000_000}, Resolution: 3_600_000_000, HasFallback: true},
		"seconds": {Name: "day", Type: domain.DateTime, Cuts: []int64{0, 1_000_000, 1_000_000}, Resolution: 1_000_000, HasFallback: true},
		"":        {Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 1, 2), Resolution: 1, HasFallback: true},
	} {
		p := orderedPage(t, day)
		one, _ := p.columns()
		o := p.inOrder(one)
		var gaps []string
		for _, c := range o.Gaps.Cells {
			gaps = append(gaps, fmt.Sprintf("%s %.2f %.3f", c.Label, c.Share, c.Error))
		}
		if got := strings.Join(gaps, ", "); !strings.HasPrefix(got, "0 0.25 0.039, ") || !strings.HasSuffix(got, " 0.75 0.078") || o.Gaps.Note != unit {
			t.Errorf("gaps in %q: %s", o.Gaps.Note, got)
		}
		got := fmt.Sprintf("%q %.2f", o.Transitions[0].Names, o.Transitions[0].Values)
		must.Hold(t, got == `["first rows" "a" "b"] [[1.00 0.00] [0.25 0.75] [1.00 0.00]]`, "%v", got)
		var b bytes.Buffer
		must.Do(t, WriteHTML(&b, p))
		if text := pagetest.WellFormed(t, b.Bytes()); !strings.Contains(text, "in the order of day, and each follows") || !strings.Contains(text, "kind: shares of each value after each value") {
			t.Error("the page does not show the order of rows")
		}
	}
	p := madePage(2, 3, []string{"x"})
	must.Hold(t, p.inOrder(nil) == nil, "rows without an order have one")
}

// People without rows have no place among transitions: what follows first rows is shared among rows alone.
func TestTransitionsLeaveOutPeopleWithoutRows(t *testing.T) {
	kind := domain.Attribute{Name: "kind", Type: domain.String, Values: []string{"a", "b"}, HasFallback: true}
	before := kind
	kind.Null, before.Null = true, true // nobody's row; none
	h := transitions(&kind, &before, []float64{.1, .1, .3, .2, 0, .1, 0, 0, .2})
	want := `["first rows" "a" "b"] ["a" "b"] [[0.75 0.25] [0.33 0.67] [1.00 0.00]]`
	got := fmt.Sprintf("%q %q %.2f", h.Names, h.Columns, h.Values)
	must.Hold(t, got == want, "%v", got)
}

// If no row follows another, there is no picture of gaps: shares of nothing would be drawn as numbers that are none.
func TestNoGapsWithoutLaterRows(t *testing.T) {
	p := orderedPage(t, domain.Attribute{Name: "day", Type: domain.Date, Cuts: domain.EqualCuts(0, 1, 2), Resolution: 1, HasFallback: true})
	p.Marginals = []Marginal{
		{Clique: domain.Clique{0}, Fitted: []float64{0, 0, 1}, FittedError: []float64{.01, .02, .03}},
		{Clique: domain.NewClique(1, p.Domain.Events.Before(0)), Fitted: []float64{0, 0, .6, 0, 0, .4}},
	}
	one, _ := p.columns()
	o := p.inOrder(one)
	must.Hold(t, o.Gaps == nil, "gaps of no later row: %v", o.Gaps)
	var b bytes.Buffer
	must.Do(t, WriteHTML(&b, p))
	must.Hold(t, !bytes.Contains(b.Bytes(), []byte("NaN")), "the page has numbers that are none")
}

// A column that can be NULL has people without rows in its cell of NULL: first rows are NULL as often as they are.
func TestFirstRowsAreNoPeopleWithoutRows(t *testing.T) {
	p := madePage(1, 2, []string{"x"})
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Date, Cuts: domain.EqualCuts(0, 1, 2), Resolution: 1, HasFallback: true},
		{Name: "kind", Type: domain.String, Values: []string{"a"}, Null: true},
		{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, HasFallback: true}}}
	d, err := d.WithEvents([]string{"sex"}, nil, []int64{0, 1, 2}, 5)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	e := d.Events
	p.Domain, p.Marginals = d, []Marginal{
		{Clique: domain.Clique{e.Columns}, Fitted: []float64{.4, .3, .3}},
		{Clique: domain.NewClique(1, e.Before(0)), Fitted: []float64{.1, .1, .3, 0, 0, .5}}, // (a, a), (a, NULL), (a, none), (NULL, a), …
	}
	one, _ := p.columns()
	got := fmt.Sprintf("%.2f", p.inOrder(one).Transitions[0].Values)
	must.Hold(t, got == "[[0.75 0.25] [1.00 0.00] [1.00 0.00]]", "shares after first rows, a and NULL: %s", got)
	must.Hold(t, p.Marginals[1].Fitted[5] == .5, "a published marginal was changed")
}
