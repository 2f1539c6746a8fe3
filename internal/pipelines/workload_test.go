package pipelines

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestOfWidth(t *testing.T) {
	for _, tt := range []struct {
		n, width int
		want     int64
	}{{4, 3, 14}, {2, 3, 3}, {100, 3, 166_750}, {1000, 3, 166_667_500}} {
		must.Equal(t, ofWidth(tt.n, tt.width), tt.want, "%d columns up to %d: sets", tt.n, tt.width)
	}
}

// Marginals with the target weigh more than the others, which are the usual ones. Plan, statement and page name it.
func TestTargetWeighsMore(t *testing.T) {
	c := shop(t, 2000)
	usual := mustValidate(t, c).Problem.Workload.Marginals
	text := must.Value(os.ReadFile(c.Domain))(t)
	must.Do(t, os.WriteFile(c.Domain, append(text, "workload: {target: plan}\n"...), 0o600))
	r := mustValidate(t, c)
	target, weighty := r.File.Domain.Index("plan"), 0
	for i, m := range r.Problem.Workload.Marginals {
		want := usual[i].Weight
		if slices.Contains(m.Clique, target) {
			want *= query.TargetWeight
			weighty++
		}
		must.Hold(t, m.Clique.Equal(usual[i].Clique) && m.Weight == want, "%v weighs %g, want %g", m.Clique, m.Weight, want)
	}
	must.Hold(t, weighty != 0 && weighty != len(usual), "%d of %d marginals have the target", weighty, len(usual))
	p := must.Value(r.Plan())(t)
	var brief strings.Builder
	must.Do(t, p.WriteText(&brief))
	asJSON := must.Value(p.JSON())(t)
	for _, said := range []string{brief.String(), string(asJSON)} {
		must.Hold(t, strings.Contains(said, "tables with plan weigh 30 times") || strings.Contains(said, `"workload_target": "plan"`),
			"the plan does not name its target:\n%s", said)
	}
	mustRun(t, c)
	statement := must.Value(os.ReadFile(filepath.Join(c.Output+".release", "_privacy.json")))(t)
	var s struct {
		Target string `json:"workload_target"`
	}
	err := json.Unmarshal(statement, &s)
	must.Hold(t, err == nil && s.Target == "plan", "statement: %q, %v", s.Target, err)
	page, err := os.ReadFile(filepath.Join(c.Output+".release", "_report.html"))
	must.Hold(t, err == nil && strings.Contains(string(page), "classifiers that predict <bdi>plan</bdi>"), "the page does not name the target: %v", err)
}
