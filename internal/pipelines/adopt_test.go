package pipelines

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestFinishedRunIsComparedWithTheRequest: the ID of a finished run adopts it for the request that it had, whether its domain was
// declared or found. A request with any other figure, domain, table, method or workload is refused, and the words say in what it
// differs. Nothing is charged for either.
func TestFinishedRunIsComparedWithTheRequest(t *testing.T) {
	dir, input := t.TempDir(), peopleCSV(t, 4000)
	file := func(name, max string) string {
		path := filepath.Join(dir, name)
		text := "privacy_id: id\ncolumns:\n- {name: sex, type: STRING, values: [Female, Male], other: true}\n- {name: age, type: INT64, min: 0, max: " + max + ", bins: 5, \"null\": true}\nevents: {person: [sex], rows: {max: 4}}\n"
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	other := filepath.Join(dir, "others.csv")
	if text, err := os.ReadFile(input); err != nil || os.WriteFile(other, text, 0o600) != nil {
		t.Fatal(err)
	}
	run := func(c Config) (*Result, error) {
		if c.Domain == "" {
			r, err := ValidateFind(t.Context(), c)
			if err != nil {
				return nil, err
			}
			return RunFound(t.Context(), r)
		}
		r, err := ValidateRun(t.Context(), c)
		if err != nil {
			return nil, err
		}
		return Run(t.Context(), r)
	}
	for _, declared := range []bool{true, false} {
		c := Config{Input: input, PrivacyID: "id", Output: filepath.Join(dir, "found"), Epsilon: 3, Delta: 1e-6, RunID: "night", Ledger: bookFor(t, input), Marginals: 2}
		if declared {
			c.Domain, c.PrivacyID, c.Output = file("people.yaml", "99"), "", filepath.Join(dir, "declared")
		}
		if res, err := run(c); err != nil || res.Written.Adopted != "" {
			t.Fatal(res, err)
		}
		if res, err := run(c); err != nil || !strings.Contains(res.Written.Adopted, "run night had finished before: nothing was read") {
			t.Errorf("declared %v: the same request: %v", declared, err)
		}
		changes := map[string]func(*Config){
			"ε = 3, and --epsilon=0.01":        func(c *Config) { c.Epsilon = .01 },
			"δ = 1e-06, and --delta=1e-09":     func(c *Config) { c.Delta = 1e-9 },
			"AddRemove, and --neighbouring=re": func(c *Config) { c.Neighbouring, c.Ledger = dp.Replace, "" },
			"another table than " + other:      func(c *Config) { c.Input, c.Ledger = other, "" },
			"another workload":                 func(c *Config) { c.Marginals = 1 },
		}
		if declared {
			changes["another domain"] = func(c *Config) { c.Domain = file("wide.yaml", "120") }
			changes["method rake, and this request dpam"] = func(c *Config) { c.Method = "dpam" }
		} else {
			changes["another domain"] = func(c *Config) { c.DomainShare = .2 }
		}
		for says, change := range changes {
			d := c
			change(&d)
			if _, err := run(d); !IsRequest(err) || !strings.Contains(err.Error(), "--run_id: run night has finished, with ") || !strings.Contains(err.Error(), says) {
				t.Errorf("declared %v: want %q: %v", declared, says, err)
			}
		}
		findings, runs := paid(t, c.Ledger)
		must.Hold(t, runs == 1 && findings <= 1, "declared %v: %d findings and %d runs are charged", declared, findings, runs)
		checkRemade(t, c, run)
	}
}

// checkRemade takes rows of a finished run away: its ID makes them again from the model, at no cost, and all belongs together.
func checkRemade(t *testing.T, c Config, run func(Config) (*Result, error)) {
	t.Helper()
	parts := func() (names []string) {
		_ = filepath.WalkDir(c.Output, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(d.Name(), "part-") {
				names = append(names, path)
			}
			return nil
		})
		return names
	}
	model := must.Value(os.ReadFile(filepath.Join(c.Output+".release", "_model.arrow")))(t)
	for name, spoil := range map[string]func() error{
		"no rows":      func() error { return errors.Join(os.RemoveAll(c.Output), os.Mkdir(c.Output, 0o755)) },
		"no directory": func() error { return os.RemoveAll(c.Output) },
		"a cut part":   func() error { return os.Truncate(parts()[0], 7) },
	} {
		must.Do(t, spoil())
		res, err := run(c)
		must.Need(t, err == nil && strings.Contains(res.Written.Adopted, "its model has made them again") && len(parts()) != 0, "%s: %v", name, err)
		v, err := ValidateVerify(t.Context(), VerifyConfig{Dir: c.Output})
		if err == nil {
			_, err = Verify(t.Context(), v)
		}
		must.Hold(t, err == nil, "%s: %v", name, err)
		if again, err := run(c); err != nil || !strings.Contains(again.Written.Adopted, "nothing was read") || again.Written.Rows != res.Written.Rows {
			t.Errorf("%s, once more: %v", name, err)
		}
	}
	must.Equal(t, string(must.Value(os.ReadFile(filepath.Join(c.Output+".release", "_model.arrow")))(t)), string(model), "the model has changed")
	_, runs := paid(t, c.Ledger)
	must.Hold(t, runs == 1, "%d runs are charged", runs)
}
