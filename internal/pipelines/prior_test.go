package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestInferredFileIsCharged: a domain that was found alone is written with its charge; an attempt that is repeated before
// the file was kept has the same. Each release with the file states the charge, and what both promise together. A book
// charges the finding once, however many releases use the file, also if it was edited.
func TestInferredFileIsCharged(t *testing.T) {
	input, dir := peopleCSV(t, 20_000), t.TempDir()
	ledger, name := filepath.Join(dir, "book"), filepath.Join(dir, "found.yaml")
	must.Do(t, Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: ledger, Create: "people", Epsilon: 3, Delta: 1e-9, PrivacyID: "id", Input: input}))
	c := Config{Input: input, Output: name, PrivacyID: "id", Epsilon: .5, Delta: 1e-10}
	var first *Inferred
	for range 2 {
		r := must.Value(ValidateInfer(t.Context(), c))(t)
		found := must.Value(Infer(t.Context(), r))(t)
		must.Hold(t, first == nil || string(found.Text) == string(first.Text), "another attempt finds another domain: %+v\n%s", first, found.Text)
		first = found
	}
	must.Do(t, first.Done(t.Context()))
	_, err := os.Stat(name + ".found")
	must.Hold(t, os.IsNotExist(err), "what was found is still kept: %v", err)
	edited := strings.Replace(string(first.Text), `"Male"`, `"Man"`, 1)
	must.Need(t, edited != string(first.Text), "found:\n%s", first.Text)
	for i, text := range []string{string(first.Text), edited} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		run := Config{Input: input, Domain: name, Output: filepath.Join(dir, "out"+string(rune('a'+i))), Epsilon: 1, Delta: 1e-9, Ledger: ledger}
		if i == 1 {
			run.Epsilon = .7
		}
		req := must.Value(ValidateRun(t.Context(), run))(t)
		res := must.Value(Run(t.Context(), req))(t)
		f := res.Privacy.Found
		must.Need(t, f != nil && f.Epsilon == .5 && f.Delta == 1e-10 && f.TogetherDelta >= 1.1e-9 && f.TogetherEpsilon > float64(run.Epsilon) && f.TogetherEpsilon <= float64(run.Epsilon)+.5,
			"the statement says %+v of finding the domain", f)
		must.Contain(t, strings.Join(res.Written.Notes, "\n"), "the domain was found with ε = 0.5", "notes")
	}
	b, faults := openLedger(t.Context(), ledger)
	must.Need(t, len(faults) <= 0, "%v", faults)
	charges := b.Standing()
	must.Hold(t, len(charges) == 3 && strings.HasPrefix(charges[0].Key, "found-") && charges[0].Epsilon == .5 && charges[1].Epsilon == 1 && charges[2].Epsilon == .7,
		"the book has %d charges: %+v", len(charges), charges)
	// A finding that is not charged yet counts when it is judged whether a run fits.
	other := strings.Replace(string(first.Text), "found: ", "# found: ", 1) + schema.Charge{
		ID: "another", PrivacyID: "id", Neighbouring: "add_remove", Epsilon: .5, Delta: 1e-10, Accounting: "GDP", Loss: "4", NoisyNumbers: 1,
	}.String()
	must.Do(t, os.WriteFile(name, []byte(other), 0o600))
	plan := PlanConfig{Config: Config{Input: input, Domain: name, Epsilon: .1, Delta: 1e-9, Ledger: ledger}}
	must.Fails(ValidatePlan(t.Context(), plan))(t, "has no room for this", "a finding that does not fit")
	plan.Ledger, plan.Neighbouring = "", dp.Replace
	must.Fails(ValidatePlan(t.Context(), plan))(t, "the domain was found for add_remove", "a release of another relation")
}
