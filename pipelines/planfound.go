package pipelines

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/internal/report/page"
	"github.com/dapple-dp/dapple/transforms/discover"
)

// FoundPlan says what can be found of a table without a domain file, before anything is read or spent.
type FoundPlan struct {
	Epsilon  float64  `json:"epsilon"` // of the whole run
	Delta    float64  `json:"delta"`
	Share    float64  `json:"domain_share"` // of the budget, for the domain
	People   int64    `json:"people"`
	Columns  int      `json:"columns"`
	Open     []string `json:"open_parts,omitempty"`      // of a domain file; absent: there is none
	Category float64  `json:"people_for_a_category"`     // who have to share a value for it to be named
	RangeEnd float64  `json:"people_for_a_range"`        // who have to be near an end of a range for it to be seen
	Enough   bool     `json:"enough"`                    // to find most of a usual table
	Needed   float64  `json:"people_needed"`             // for that, at this ε
	ByE      float64  `json:"epsilon_needed,omitempty"`  // for these people and columns; 0: none up to 10
	ByFewer  int      `json:"columns_to_keep,omitempty"` // for these people at this ε; 0: none
}

// foundOutlook computes what can be found of so many people.
func foundOutlook(p discover.Params, people int64) (*FoundPlan, error) {
	o, err := p.Outlook()
	if err != nil {
		return nil, err
	}
	plan := &FoundPlan{
		Epsilon: float64(p.Epsilon), Delta: float64(p.Delta), Share: p.Share.Float(), People: people, Columns: len(p.Columns), Category: o.Value, RangeEnd: o.Cell,
	}
	if plan.Enough, plan.Needed = o.Enough(float64(people)); !plan.Enough && people > 0 {
		epsilon, columns := p.WouldDo(float64(people))
		plan.ByE, plan.ByFewer = float64(epsilon), columns
	}
	return plan, nil
}

// wouldDo says what would be enough.
func (p *FoundPlan) wouldDo() string {
	ways := fmt.Sprintf("%.0f people", p.Needed)
	if p.ByE > 0 {
		ways += fmt.Sprintf(", or --epsilon=%g", p.ByE)
	}
	if p.ByFewer > 0 {
		ways += fmt.Sprintf(", or %d columns in place of %d", p.ByFewer, p.Columns)
	}
	return ways + " would do; a --domain file of public facts costs nothing"
}

// PlanFound finds every fault of a request to plan without a domain file, and answers it. Of the input only the header is
// read.
func PlanFound(ctx context.Context, c PlanConfig) (*FoundPlan, error) {
	r := &FindRequest{Config: c.Config.withDefaults()}
	if !r.wholly() {
		return planOpen(ctx, c)
	}
	var f Faults
	r.checkUnit(&f)
	r.takeDeclared(&f)
	r.checkJob(&f)
	checkFigures(r.Config, &f)
	if r.ExpectedRows == 0 {
		f.add("--expected_rows", "is required where the domain is found: about how many people there are", "a guess will do")
	}
	if c.TargetError != 0 || c.Target != "" || c.Like != "" {
		f.add("--target_error", "and --target and --like need a --domain file with columns", "find one by `dapple infer --epsilon`, or leave them out")
	}
	switch {
	case r.Input != "" && c.Columns > 0:
		f.add("--columns", "is given, and so is --input, which has columns", "leave one of them out")
	case r.Input == "" && c.Columns == 0:
		f.add("--columns", "is required without --input where the domain is found: how many columns the table has, without that of the people", "")
	}
	r.checkBudget(&f)
	found := make([]discover.Column, c.Columns)
	for i := range found {
		found[i] = discover.Column{Name: fmt.Sprint(i), Untyped: true}
	}
	if r.Input != "" {
		found = r.findColumns(ctx, &f)
	}
	if len(f) > 0 {
		return nil, f.Err()
	}
	r.setParams(found)
	p, err := foundOutlook(r.params, r.ExpectedRows)
	return p, append(f, ErrorFaults("--epsilon", err)...).Err()
}

// planOpen is PlanFound for a domain file with open parts.
func planOpen(ctx context.Context, c PlanConfig) (*FoundPlan, error) {
	r := &FindRequest{Config: c.Config.withDefaults()}
	c.Config.planning = true
	_, f := validate(ctx, c.Config)
	if c.TargetError != 0 || c.Target != "" || c.Like != "" || c.Columns != 0 {
		f.add("--domain", "leaves parts to be found, and --target_error, --target, --like and --columns need or replace a whole one", "find them by `dapple infer --epsilon`, or leave these flags out")
	}
	r.checkBudget(&f)
	r.checkJob(&f)
	r.setOpen(ctx, &f)
	if r.ExpectedRows == 0 {
		f.add("--expected_rows", "is required where parts of the domain are to be found: about how many people there are", "a guess will do")
	}
	if len(f) > 0 {
		return nil, f.Err()
	}
	p, err := foundOutlook(r.params, r.ExpectedRows)
	if err != nil {
		return nil, ErrorFaults("--epsilon", err).Err()
	}
	p.Open = openParts(r.open())
	return p, nil
}

// JSON returns the plan for programs.
func (p *FoundPlan) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(p, "", " ")
	return append(b, '\n'), err
}

// WriteText writes the plan for a terminal.
func (p *FoundPlan) WriteText(out io.Writer) error {
	var b strings.Builder
	what := "the domain"
	if len(p.Open) > 0 {
		what = "what is open"
	}
	fmt.Fprintf(&b, "privacy   ε = %g, δ = %g; %g %% of the budget finds %s\n", p.Epsilon, p.Delta, 100*p.Share, what)
	if len(p.Open) > 0 {
		fmt.Fprintf(&b, "open      %s; the rest of the domain file costs nothing\n", strings.Join(p.Open, ", "))
		fmt.Fprintf(&b, "table     %s people; nothing of it is read, and nothing is spent\n", page.Count(float64(p.People)))
	} else {
		fmt.Fprintf(&b, "table     %s people, %d columns; nothing of it is read, and nothing is spent\n", page.Count(float64(p.People)), p.Columns)
	}
	if p.Category > 0 {
		fmt.Fprintf(&b, "category  needs about %s people to be named, %.2g %% of them; rarer ones become `other`\n", page.Count(p.Category), 100*p.Category/float64(p.People))
	}
	if p.RangeEnd > 0 {
		fmt.Fprintf(&b, "range     goes up to the last power of two that about %s people reach; values beyond become its ends\n", page.Count(p.RangeEnd))
	}
	if p.Enough {
		b.WriteString("verdict   enough to find most of a usual table\n")
	} else {
		fmt.Fprintf(&b, "verdict   too few people: most of the table would not be found; %s\n", p.wouldDo())
	}
	_, err := io.WriteString(out, b.String())
	return err
}
