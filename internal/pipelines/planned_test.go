package pipelines

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	dpdomain "github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The ε that a plan finds for an error is predicted to reach it, and one that is a tenth smaller is not; and neither
// input nor output is asked for.
func TestPlanForAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.yaml")
	domain := "privacy_id: none\ncolumns:\n- {name: sex, type: STRING, values: [f, m], other: true}\n- {name: age, type: INT64, min: 0, max: 99, bins: 20, null: true}\n" +
		"- {name: ward, type: STRING, values: [a, b, c], other: true}\n"
	must.Do(t, os.WriteFile(path, []byte(domain), 0o600))
	for _, target := range []string{"", "2-way", "column:age", "columns:sex,ward"} {
		c := PlanConfig{Config: Config{Domain: path, Delta: 1e-9}, TargetError: .01, Target: target}
		r, err := ValidatePlan(context.Background(), c)
		must.Need(t, err == nil, "%q: %v", target, err)
		p := must.Value(r.Plan())(t)
		must.Need(t, p.Aimed != nil && r.Epsilon == p.Aimed.Epsilon && p.Charges.Epsilon == float64(r.Epsilon),
			"%q: the plan is not at the ε found: %+v", target, p.Aimed)
		at := func(factor float64) float64 {
			q := r.Problem
			q.Epsilon = 1
			tv, _, _ := plan.Ask(q, r.Chosen, p.Aimed.Target, nil, true).Error(r.Epsilon * dp.Epsilon(factor))
			return tv
		}
		found, less := at(1), at(.9)
		must.Hold(t, found <= .01 && less > .01, "%q: ε = %g has %g, nine tenths of it %g: want .01 between", target, float64(r.Epsilon), found, less)
		must.Hold(t, p.Aimed.Low <= float64(p.Aimed.Epsilon) && float64(p.Aimed.Epsilon) <= p.Aimed.High && !math.IsNaN(p.Aimed.Low),
			"%q: range %g to %g around %g", target, p.Aimed.Low, p.Aimed.High, float64(p.Aimed.Epsilon))
		for _, epsilon := range []dp.Epsilon{1, 70} {
			var text strings.Builder
			p.Charges.Epsilon = float64(epsilon)
			if err := p.WriteText(&text); err != nil || strings.Contains(text.String(), "is above 10 and protects little") != (epsilon == 70) {
				t.Errorf("%q: at ε = %g plan says %v, %s", target, float64(epsilon), err, text.String())
			}
		}
	}
	for text, c := range map[string]PlanConfig{
		"is required, or --target_error":   {Config: Config{Domain: path, Delta: 1e-9}},
		"no ε up to 100":                   {Config: Config{Domain: path, Delta: 1e-9, Method: "rake"}, TargetError: 1e-7},
		"between 0 and 1":                  {Config: Config{Domain: path, Delta: 1e-9, Epsilon: 1}, TargetError: 2},
		`the domain has no column "wards"`: {Config: Config{Domain: path, Delta: 1e-9, Epsilon: 1}, Target: "column:wards"},
	} {
		must.Fails(ValidatePlan(context.Background(), c))(t, text)
	}
}

// A release whose records are nearly all alike foretells less error than a typical table has, and less ε for one; its number
// of units stands for expected rows. One over other columns is refused.
func TestPlanLikeARelease(t *testing.T) {
	dir := t.TempDir()
	path, model := filepath.Join(dir, "d.yaml"), filepath.Join(dir, "m.arrow")
	domain := "privacy_id: none\ncolumns:\n- {name: sex, type: STRING, values: [f, m], other: true}\n- {name: age, type: INT64, min: 0, max: 9999, null: true}\n" +
		"- {name: ward, type: STRING, values: [a, b, c], other: true}\n"
	file := must.Value(schema.Parse("d.yaml", []byte(domain)))(t)
	b := dpdomain.LearnedBins{Attribute: 1, Runs: []dpdomain.Run{{From: 0, Share: .999}, {From: 1, Share: .001}}}
	for i := range file.Domain.Attributes[1].Learned {
		b.Starts = append(b.Starts, i)
	}
	binned := must.Value(file.Domain.WithBins([]dpdomain.LearnedBins{b}))(t)
	release := modelfile.File{Domain: *binned, Method: "rake", Guarantee: "none", Units: 9000.4, Model: &population.Model{
		Sizes: binned.Sizes(), Weights: []float64{999, 1}, Columns: [][]dpdomain.Code{{0, 1}, {0, 3}, {2, 0}}}}
	data := must.Value(release.Encode())(t)
	for name, text := range map[string][]byte{path: []byte(domain), model: data, path + "2": []byte(strings.Replace(domain, "ward", "town", 1)), path + "3": []byte(strings.Replace(domain, "9999", "99999", 1))} {
		must.Do(t, os.WriteFile(name, text, 0o600))
	}
	plans := map[string]*plan.Plan{}
	for _, like := range []string{"", model} {
		r, err := ValidatePlan(context.Background(), PlanConfig{Config: Config{Domain: path, Delta: 1e-9, ExpectedRows: 9000}, TargetError: .02, Like: like})
		must.Do(t, err)
		plans[like], err = r.Plan()
		must.Do(t, err)
	}
	typical, like := plans[""], plans[model]
	must.Hold(t, like.Aimed.Epsilon < typical.Aimed.Epsilon/2 && like.Like && !typical.Like,
		"ε = %g for a table like the release, %g for a typical one", float64(like.Aimed.Epsilon), float64(typical.Aimed.Epsilon))
	if got := like.AverageTV; !(like.LowTV < got && got < like.HighTV && like.HighTV/like.LowTV < typical.HighTV/typical.LowTV) {
		t.Errorf("%g is likely within %g and %g", got, like.LowTV, like.HighTV)
	}
	checkScaled(t, dir, path, model, release.Model, like.Problem.Epsilon)
	r, err := ValidatePlan(context.Background(), PlanConfig{Config: Config{Domain: path, Delta: 1e-9, Epsilon: 1}, Like: model})
	must.Hold(t, err == nil && r.Problem.Units == 9000, "%g units, %v", r.Problem.Units, err)
	for other, want := range map[string]string{path + "2": `has "ward" as column 3`, path + "3": ""} {
		_, err := ValidatePlan(context.Background(), PlanConfig{Config: Config{Domain: other, Delta: 1e-9, Epsilon: 1}, Like: model})
		must.Hold(t, (want != "" || err == nil) && (want == "" || err != nil && strings.Contains(err.Error(), want)), "%s: %v, want %q", other, err, want)
	}
	_, err = ValidatePlan(context.Background(), PlanConfig{Config: Config{Domain: path, Delta: 1e-9, Epsilon: 1}, Like: filepath.Join(dir, "none")})
	must.Fail(t, err, "--like", "a release that is not there")
}

// checkScaled gives the release of a model a statement. What it measured scales plans for the same workload, and of another
// statement nothing is taken.
func checkScaled(t *testing.T, dir, path, model string, m *population.Model, epsilon dp.Epsilon) {
	t.Helper()
	planned := func() *plan.Plan {
		r := must.Value(ValidatePlan(context.Background(), PlanConfig{Config: Config{Domain: path, Delta: 1e-9, Epsilon: epsilon}, TargetError: .02, Like: model}))(t)
		p := must.Value(r.Plan())(t)
		return p
	}
	plain := planned()
	workload := plain.Problem.Workload.Fingerprint()
	stated := report.Privacy{Format: 1, Method: "rake", Units: report.Units{Count: 9000}}
	stated.Epsilon, stated.Delta, stated.Neighbouring = float64(plain.Problem.Epsilon), 1e-9, plain.Problem.Neighbouring.String()
	stated.Hashes.Model, stated.Hashes.Workload = publish.Fingerprint(m), hex.EncodeToString(workload[:])
	measured := &report.MeasuredTV{Noisy: plain.AverageTV / 2, SD: plain.AverageTV / 1e6, Share: .01, Marginals: 1, Of: 1}
	stated.Error.Measured = measured
	for name, c := range map[string]struct {
		change func(p *report.Privacy)
		scale  float64
	}{
		"half":             {func(*report.Privacy) {}, .5},
		"no measurement":   {func(p *report.Privacy) { p.Error.Measured = nil }, 1},
		"noise":            {func(p *report.Privacy) { x := *measured; x.Noisy = 0; p.Error.Measured = &x }, 1},
		"another model":    {func(p *report.Privacy) { p.Hashes.Model = "00" }, 1},
		"another workload": {func(p *report.Privacy) { p.Hashes.Workload = "00" }, 1},
		"another method":   {func(p *report.Privacy) { p.Method = "dpam" }, 1},
		"another relation": {func(p *report.Privacy) { p.Neighbouring = "Replace" }, 1},
	} {
		p := stated
		c.change(&p)
		b := must.Value(json.Marshal(p))(t)
		put(t, filepath.Join(dir, publish.PrivacyFile), string(b))
		got := planned()
		x := got.AverageTV / plain.AverageTV
		must.Hold(t, math.Abs(x-c.scale) <= .01 && got.Scaled == (c.scale != 1), "%s: %.3f times the prediction, scaled %v; want %g", name, x, got.Scaled, c.scale)
		must.Hold(t, got.Aimed.Epsilon < plain.Aimed.Epsilon == (c.scale < 1),
			"%s: ε = %g for the error, %g without a measurement", name, float64(got.Aimed.Epsilon), float64(plain.Aimed.Epsilon))
		text, err := got.JSON()
		must.Hold(t, err == nil && strings.Contains(string(text), `"scaled_to_its_error": true`) == got.Scaled, "%s: %v\n%s", name, err, text)
	}
	must.Do(t, os.Remove(filepath.Join(dir, publish.PrivacyFile)))
}

// A domain file can say how many units are expected; the flag goes before it.
func TestExpectedRowsOfTheDomain(t *testing.T) {
	dir := t.TempDir()
	file := func(rows string) string {
		path := filepath.Join(dir, "d.yaml")
		text := "privacy_id: none\nexpected_rows: " + rows + "\ncolumns: [{name: x, type: INT64, min: 0, max: 1000000, null: true}]\n"
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for given, want := range map[int64]float64{0: 700, 300: 300} {
		r, err := ValidatePlan(t.Context(), PlanConfig{Config: Config{Domain: file("700"), Epsilon: 1, Delta: 1e-9, ExpectedRows: given}})
		if err != nil || r.Problem.Units != want {
			t.Errorf("with %d: %v units, want %v; %v", given, r.Problem.Units, want, err)
			continue
		}
		p, err := r.Plan()
		must.Hold(t, err == nil && p.UnitsGiven, "%v, or what the file says is taken for an assumption:\n%v", err, p)
	}
}
