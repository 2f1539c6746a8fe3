package pipelines

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

// TestPlanFound: what can be found is said before anything is read: of 5,000 people and 19 columns too little, and each of
// the ways out that the plan names would do. A run of a few more people than a category needs has it as a note, and one of fewer is refused.
func TestPlanFound(t *testing.T) {
	c := PlanConfig{Config: Config{Epsilon: 1, Delta: 1e-9, ExpectedRows: 5000}, Columns: 19}
	p := must.Value(PlanFound(t.Context(), c))(t)
	var text strings.Builder
	must.Do(t, p.WriteText(&text))
	must.Hold(t, !p.Enough && p.Category >= 300 && p.Category <= 600 && strings.Contains(text.String(), "people to be named") && strings.Contains(text.String(), "too few people"),
		"of 5,000 people and 19 columns: %s", text.String())
	must.Need(t, p.Needed > 5000 && p.ByE > 1 && p.ByFewer >= 1 && p.ByFewer < 19, "ways out: %+v", p)
	ways := map[string]bool{}
	try := func(way string, change func(*PlanConfig)) {
		d := c
		change(&d)
		q := must.Value(PlanFound(t.Context(), d))(t)
		ways[way] = q.Enough
	}
	try("people", func(d *PlanConfig) { d.ExpectedRows = int64(p.Needed) })
	try("epsilon", func(d *PlanConfig) { d.Epsilon = dp.Epsilon(p.ByE) })
	try("columns", func(d *PlanConfig) { d.Columns = int64(p.ByFewer) })
	for way, enough := range ways {
		must.Hold(t, enough, "%s would not do", way)
	}
	try("less epsilon", func(d *PlanConfig) { d.Epsilon = dp.Epsilon(p.ByE - .1) })
	try("a column more", func(d *PlanConfig) { d.Columns = int64(p.ByFewer) + 1 })
	must.Hold(t, !ways["less epsilon"] && !ways["a column more"], "less would do")
	run := Config{Input: peopleCSV(t, 10), Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 1, Delta: 1e-9, ExpectedRows: 1000}
	r := must.Value(ValidateFind(t.Context(), run))(t)
	if notes := strings.Join(r.foundNotes(&discover.Found{}, "10 %", "file"), "\n"); !strings.Contains(notes, "few people: ") || !strings.Contains(notes, "people to be named") || !strings.Contains(notes, "would do") {
		t.Errorf("a run of 1,000 people: %s", notes)
	}
	run.ExpectedRows = 200
	_, err := ValidateFind(t.Context(), run)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "people to be named") && strings.Contains(err.Error(), "would do"), "a run of 200 people: %v", err)
	for _, f := range []struct {
		change func(*PlanConfig)
		says   string
	}{
		{func(d *PlanConfig) { d.ExpectedRows = 0 }, "--expected_rows"},
		{func(d *PlanConfig) { d.Columns = 0 }, "--columns"},
		{func(d *PlanConfig) { d.Delta = 0 }, "at the price of it"},
		{func(d *PlanConfig) { d.TargetError = .02 }, "--target_error"},
		{func(d *PlanConfig) { d.Input = run.Input }, "--columns"},
		{func(d *PlanConfig) { d.DomainShare = .7 }, "--domain_share"},
	} {
		d := c
		f.change(&d)
		must.Fails(PlanFound(t.Context(), d))(t, f.says)
	}
}
