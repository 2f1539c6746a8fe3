package pipelines

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/pipelines/plan"
)

// The ε that a plan finds for an error is predicted to reach it, and one that is a tenth smaller is not; and neither
// input nor output is asked for.
func TestPlanForAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.yaml")
	domain := "columns:\n- {name: sex, type: STRING, values: [f, m], other: true}\n- {name: age, type: INT64, min: 0, max: 99, bins: 20, null: true}\n" +
		"- {name: ward, type: STRING, values: [a, b, c], other: true}\n"
	if err := os.WriteFile(path, []byte(domain), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"", "2-way", "column:age", "columns:sex,ward"} {
		c := PlanConfig{Config: Config{Domain: path, Delta: 1e-9}, TargetError: .01, Target: target}
		r, err := ValidatePlan(context.Background(), c)
		if err != nil {
			t.Fatalf("%q: %v", target, err)
		}
		p, err := r.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if p.Aimed == nil || r.Epsilon != p.Aimed.Epsilon || p.Charges.Epsilon != float64(r.Epsilon) {
			t.Fatalf("%q: the plan is not at the ε found: %+v", target, p.Aimed)
		}
		at := func(factor float64) float64 {
			q := r.Problem
			q.Epsilon *= dp.Epsilon(factor)
			tv, _, _ := plan.Error(q, r.Chosen, p.Aimed.Target)
			return tv
		}
		if found, less := at(1), at(.9); !(found <= .01) || !(less > .01) {
			t.Errorf("%q: ε = %g has %g, nine tenths of it %g: want .01 between", target, float64(r.Epsilon), found, less)
		}
		if !(p.Aimed.Low <= float64(p.Aimed.Epsilon) && float64(p.Aimed.Epsilon) <= p.Aimed.High) || math.IsNaN(p.Aimed.Low) {
			t.Errorf("%q: range %g to %g around %g", target, p.Aimed.Low, p.Aimed.High, float64(p.Aimed.Epsilon))
		}
		for _, epsilon := range []dp.Epsilon{1, 70} {
			var text strings.Builder
			p.Aimed.Epsilon = epsilon
			if err := plan.WriteText(&text, p); err != nil || strings.Contains(text.String(), "protects hardly anybody") != (epsilon == 70) {
				t.Errorf("%q: at ε = %g plan says %v, %s", target, float64(epsilon), err, text.String())
			}
		}
	}
	for text, c := range map[string]PlanConfig{
		"is required, or --target_error":   {Config: Config{Domain: path, Delta: 1e-9}},
		"no ε up to 100":                   {Config: Config{Domain: path, Delta: 1e-9}, TargetError: 1e-7},
		"between 0 and 1":                  {Config: Config{Domain: path, Delta: 1e-9, Epsilon: 1}, TargetError: 2},
		`the domain has no column "wards"`: {Config: Config{Domain: path, Delta: 1e-9, Epsilon: 1}, Target: "column:wards"},
	} {
		if _, err := ValidatePlan(context.Background(), c); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v; want %q", err, text)
		}
	}
}
