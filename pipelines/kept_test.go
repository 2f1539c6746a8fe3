package pipelines

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/transforms/synth"
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
	if len(same) != 64 {
		t.Fatalf("fingerprint %q", same)
	}
	for name, change := range map[string]func(*Config){
		"output": func(c *Config) { c.Output += "2" }, "rows": func(c *Config) { c.Rows = 7 }, "shards": func(c *Config) { c.Shards = 7 },
		"format": func(c *Config) { c.Format = "csv" }, "seed": func(c *Config) { c.SampleSeed, c.HasSampleSeed = 7, true },
	} {
		if of(change) != same {
			t.Errorf("%s: a release would not be taken up", name)
		}
	}
	rewrite := func(path string, change func(string) string) func(*Config) {
		return func(*Config) {
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(change(string(b))), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
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
			if err := os.Chtimes(c.Input, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		got := of(tt.change)
		if other, taken := seen[got]; taken {
			t.Errorf("%s: the release of %q would be taken up", tt.name, other)
		}
		seen[got] = tt.name
	}
}

// What a failed run says of its budget follows from what its store holds: the mark is there before the first
// draw, so that a run without it has spent nothing. A release is kept without the records that it was made of.
func TestEndingFollowsTheMark(t *testing.T) {
	failed := errors.New("it failed")
	for name, tt := range map[string]struct {
		objects []string
		request string
		kept    bool
		says    string
	}{
		"nothing drawn":    {nil, "a", false, "nothing was written and no privacy budget was spent"},
		"drawn":            {[]string{"r.drawn"}, "a", false, "noise had been drawn: count the privacy budget of this run as spent"},
		"released":         {[]string{"r.drawn", "r.release"}, "a", true, "is spent, and its release is kept"},
		"released, a pipe": {[]string{"r.drawn", "r.release"}, "", false, "is discarded, since no later run could tell whether its input is the same: count the privacy budget of this run as spent"},
		"of another run":   {[]string{"s.drawn"}, "a", false, "no privacy budget was spent"},
	} {
		st := staging{dir: t.TempDir(), unlock: func() {}}
		for _, o := range tt.objects {
			if _, _, err := keep.Open(st.dir).CreateIfAbsent(t.Context(), o, nil); err != nil {
				t.Fatal(err)
			}
		}
		records := "r" + synth.PartsSuffix + "/one"
		if _, _, err := keep.Open(st.dir).CreateIfAbsent(t.Context(), records, nil); err != nil {
			t.Fatal(err)
		}
		kept, err := st.ending(t.Context(), note{RunID: "r", Request: tt.request}, failed)
		if _, found, err := keep.Open(st.dir).Get(t.Context(), records); kept && found || err != nil {
			t.Errorf("%s: what is kept has records of the table: %t, %v", name, found, err)
		}
		if kept != tt.kept || !errors.Is(err, failed) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: kept %t, %v", name, kept, err)
		}
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	st := staging{dir: blocked, unlock: func() {}}
	if _, err := st.ending(t.Context(), note{RunID: "r"}, failed); !strings.Contains(err.Error(), "it could not be found out whether noise had been drawn: count the privacy budget of this run as spent") {
		t.Errorf("a store that cannot be read: %v", err)
	}
}

// Where a mark cannot be read, nobody says that nothing was spent, and nobody begins the run of that ID anew.
func TestMarksThatCannotBeRead(t *testing.T) {
	for _, suffix := range []string{synth.DrawnSuffix, synth.ReleaseSuffix} {
		st := staging{dir: t.TempDir(), unlock: func() {}}
		if err := errors.Join(st.sign(t.Context(), note{RunID: "night", Request: "r"}), os.Mkdir(filepath.Join(st.dir, "night"+suffix), 0o700)); err != nil {
			t.Fatal(err)
		}
		f, ok := inspectAbandoned(t.Context(), st.dir)
		if !ok || !strings.Contains(f.describe(), "could not be found out whether noise had been drawn: count its budget as spent") || f.ends(t.Context()) {
			t.Errorf("%s: found %v, said %s", suffix, ok, f.describe())
		}
		f.unlock()
	}
	st := staging{dir: t.TempDir(), unlock: func() {}}
	if err := st.sign(t.Context(), note{RunID: "night"}); err != nil {
		t.Fatal(err)
	}
	f, ok := inspectAbandoned(t.Context(), st.dir)
	if !ok || !f.ends(t.Context()) {
		t.Error("a run that has not drawn cannot be ended")
	}
	f.unlock()
	if _, drawn, err := has(t.Context(), releaseStore{keep.Open(st.dir)}, "night"+synth.DrawnSuffix); drawn || err == nil {
		t.Errorf("after its end it may draw: %v, %v", drawn, err)
	}
}
