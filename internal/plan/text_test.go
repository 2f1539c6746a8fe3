package plan_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/methods"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/solver"
)

// The plan of every method fits a terminal, though some charge each round in a stage of its own; the charges of its lines
// are all those of the ledger.
func TestPlanOfEveryMethodIsShort(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"female", "male"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 40, 65, 110}, Resolution: 1, HasFallback: true},
	}}
	charged := regexp.MustCompile(`(?m)^  \S+.* ([0-9]+) × `)
	for _, m := range methods.All() {
		p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: 50_000}
		if m.Public {
			b := solver.NewPublicBuilder(d.Sizes())
			b.Add([]domain.Code{0, 2, 1, 3})
			public, err := b.Table()
			if err != nil {
				t.Fatal(err)
			}
			p.Public = public
		}
		made, err := plan.Make(p, m.Name, 0, true, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := made.WriteDetails(&b); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(b.String(), "\n"); lines > 40 {
			t.Errorf("%s: %d lines", m.Name, lines)
		}
		checkBrief(t, made)
		shown, events := 0, 0
		for _, x := range charged.FindAllStringSubmatch(b.String(), -1) {
			n, _ := strconv.Atoi(x[1])
			shown += n
		}
		for _, l := range made.Charges.Ledger {
			events += l.Count
		}
		if shown != events || events == 0 {
			t.Errorf("%s: %d charges are shown of %d", m.Name, shown, events)
		}
	}
}

// Lines of a plan fit a screen, whatever the method says of itself: with many columns without bins as well.
func TestLinesOfThePlanAreShort(t *testing.T) {
	d := &domain.Domain{}
	for i := range 12 {
		d.Attributes = append(d.Attributes, domain.Attribute{
			Name: fmt.Sprintf("a long name of column %d", i), Type: domain.Int64, Cuts: []int64{0, 1000}, Learned: 20, Resolution: 1, Null: true,
		})
	}
	p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: 5_000}
	made, err := plan.Make(p, "auto", 0, false, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	made.Curve = []plan.Point{{Epsilon: .1, TV: .1234}, {Epsilon: .3, TV: .01234}, {Epsilon: 1, TV: .01234}, {Epsilon: 3, TV: .01234}, {Epsilon: 10, TV: .001234}}
	var b strings.Builder
	if err := made.WriteDetails(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 110 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if text := strings.Join(strings.Fields(b.String()), " "); strings.Count(text, "which learns bins") != 1 || !strings.Contains(text, "dpfw does not apply: as dpam") {
		t.Errorf("one reason is to be written once:\n%s", b.String())
	} else if !strings.Contains(text, "in the same bins at other ε: 12 % at 0.1") {
		t.Errorf("errors at other ε are of other cells:\n%s", b.String())
	}
}

// checkBrief: the plan for most people has at most 14 lines, none longer than a screen, and its first has the verdict.
func checkBrief(t *testing.T, p *plan.Plan) {
	t.Helper()
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "\n"); n > 14 || !strings.HasPrefix(text, "verdict   ") || !strings.Contains(text, "\npromise   ε = ") || !strings.Contains(text, "\ncost ") {
		t.Errorf("%s: %d lines\n%s", p.Method, n, text)
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > 111 {
			t.Errorf("%s: %d characters: %s", p.Method, n, line)
		}
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
	made, err := plan.Make(p, "auto", 0, false, 36, nil)
	if err != nil {
		t.Fatal(err)
	}
	target, err := plan.ParseTarget("columns:"+d.Attributes[0].Name+","+d.Attributes[1].Name, d)
	if err != nil {
		t.Fatal(err)
	}
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
		made, err := plan.Make(p, "auto", 0, false, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := made.WriteDetails(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, "a belief of 50 % about one row becomes 73.1 % at most") || strings.Contains(text, "IS TOO LARGE") != x.large {
			t.Errorf("δ = %g:\n%s", x.delta, text)
		}
	}
}
