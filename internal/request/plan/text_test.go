package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// The plan of every method fits a terminal.
func TestPlanOfEveryMethodIsShort(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"female", "male"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 40, 65, 110}, Resolution: 1, HasFallback: true},
	}}
	for _, m := range methods.All() {
		p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: 50_000}
		made := must.Value(plan.Make(p, m.Name, 0, true, 0, nil))(t)
		checkBrief(t, made)
	}
}

// checkBrief: the plan for most people has at most 14 lines, none longer than a screen, and its first has the verdict.
func checkBrief(t *testing.T, p *plan.Plan) {
	t.Helper()
	var b strings.Builder
	must.Do(t, p.WriteText(&b))
	text := b.String()
	if n := strings.Count(text, "\n"); n > 20 || !strings.HasPrefix(text, "verdict   ") || !strings.Contains(text, "\npromise   ε = ") || !strings.Contains(text, "\ncost ") {
		t.Errorf("%s: %d lines\n%s", p.Method, n, text)
	}
	for line := range strings.Lines(text) {
		n := utf8.RuneCountInString(line)
		must.Hold(t, n <= 111, "%s: %d characters: %s", p.Method, n, line)
	}
}

// The short plan stays short with all that it can have to say: a wide domain, tables left out, a weak ε, a δ that is too
// large, a target and a budget book.
func TestPlanIsShort(t *testing.T) {
	d := &domain.Domain{PrivacyID: "who"}
	for i := range 60 {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: strings.Repeat("a very long name ", 20) + fmt.Sprint(i), Type: domain.Int64, Cuts: []int64{0, 1000}, Learned: 20, Resolution: 1, Null: true})
	}
	p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 12, Delta: .01, Units: 5_000}
	made := must.Value(plan.Make(p, "auto", 0, false, 36, nil))(t)
	target := must.Value(plan.ParseTarget("columns:"+d.Attributes[0].Name+","+d.Attributes[1].Name, d))(t)
	made.Aimed = &plan.Aimed{Target: target, TV: .01, Epsilon: 12, Low: 3, High: 40}
	made.FinerTV, made.Workload.TooLarge, made.Workload.TooWide, made.Workload.Narrowed = 1, 7, 3, strings.Repeat("narrowed ", 30)
	made.Curve = []plan.Point{{Epsilon: .1, TV: .1}, {Epsilon: 10, TV: .01}}
	made.Notes = []string{"input     nothing of it", "ledger    " + strings.Repeat("spent ", 30)}
	checkBrief(t, made)
	var b strings.Builder
	if err := made.WriteText(&b); err != nil || !strings.Contains(b.String(), "\nledger ") || strings.Contains(b.String(), "nothing of it") || !strings.Contains(b.String(), "protects little") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// A plan says what ε means, and when δ is not below one over the number of units.
func TestPlanSaysWhatEpsilonMeans(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, HasFallback: true}}}
	for _, x := range []struct {
		delta float64
		large bool
	}{{1e-9, false}, {0.001, true}} {
		p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: dp.Delta(x.delta), Units: 5_000}
		made := must.Value(plan.Make(p, "rake", 0, false, 0, nil))(t)
		var b strings.Builder
		must.Do(t, made.WriteText(&b))
		if text := b.String(); !strings.Contains(text, "a belief of 50 % about one row becomes 73.1 % at most") || strings.Contains(text, "IS TOO LARGE") != x.large {
			t.Errorf("δ = %g:\n%s", x.delta, text)
		}
	}
}
