package pipelines

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A release is taken up by requests alone that would have drawn from the same law on the same table; where the
// rows go and how many are wanted makes no difference.
func TestFingerprintOfRequests(t *testing.T) {
	c := shop(t, 20)
	c.ExpectedRows = 400 // criteria need it
	of := func(change func(*Config)) string {
		changed := c
		change(&changed)
		return mustValidate(t, changed).fingerprint()
	}
	same := of(func(*Config) {})
	must.Need(t, len(same) == 64, "fingerprint %q", same)
	for name, change := range map[string]func(*Config){
		"output": func(c *Config) { c.Output += "2" }, "rows": func(c *Config) { c.Rows = 7 }, "shards": func(c *Config) { c.Shards = 7 },
		"format": func(c *Config) { c.Format = "csv" }, "seed": func(c *Config) { c.SampleSeed, c.HasSampleSeed = 7, true },
	} {
		must.Hold(t, of(change) == same, "%s: a release would not be taken up", name)
	}
	rewrite := func(path string, change func(string) string) func(*Config) {
		return func(*Config) {
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(change(string(b))), 0o600)
			}
			must.Do(t, err)
		}
	}
	seen := map[string]string{same: "none"}
	for _, tt := range []struct {
		name   string
		change func(*Config)
	}{
		{"epsilon", func(c *Config) { c.Epsilon *= 2 }},
		{"delta", func(c *Config) { c.Delta /= 2 }},
		{"relation", func(c *Config) { c.Neighbouring = dp.Replace }},
		{"method", func(c *Config) { c.Method = "dpfw" }},
		{"units", func(c *Config) { c.ExpectedRows = 7 }},
		{"workload", func(c *Config) { c.Marginals = 1 }},
		{"memory", func(c *Config) { c.MemoryLimit = 1 << 29 }},
		{"strict", func(c *Config) { c.Strict = true }},
		{"criteria", func(c *Config) { c.Criteria = "age<=0.5" }},
		{"domain", rewrite(c.Domain, func(s string) string { return strings.Replace(s, "pro", "prof", 1) })},
		{"how it is read", rewrite(c.Domain, func(s string) string { return s + "csv: {trim: true}\n" })},
		{"input", rewrite(c.Input, func(s string) string { return s + "c1,pro,30,true\n" })},
		{"time of the input", func(c *Config) {
			must.Do(t, os.Chtimes(c.Input, time.Time{}, time.Unix(1, 0)))
		}},
	} {
		got := of(tt.change)
		other, taken := seen[got]
		must.Hold(t, !taken, "%s: the release of %q would be taken up", tt.name, other)
		seen[got] = tt.name
	}
}
