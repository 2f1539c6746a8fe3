package privacy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/csvio"
)

// foundBuilds are programs under audit that find a domain and synthesize with it, whose claim is ε = 1 and δ = 1e-9 for one
// person: as it is, and one that takes the person's rows for people.
var foundBuilds = []struct {
	name, privacyID string
	refuted         bool
}{
	{"as it is", "id", false},
	{"rows for persons", schema.NoPrivacyID, true},
}

// foundTable writes a table of 600 people with a row each and, if audited is there, one more with 900 rows of a value and an
// amount of their own.
func foundTable(t *testing.T, audited bool) string {
	t.Helper()
	b := &strings.Builder{}
	b.WriteString("id,answer,amount\n")
	for i := range 600 {
		fmt.Fprintf(b, "p%d,no,%d\n", i, i%100)
	}
	for range 900 {
		if audited {
			b.WriteString("audited,yes,5000000\n")
		}
	}
	name := filepath.Join(t.TempDir(), "table.csv")
	must.Do(t, os.WriteFile(name, []byte(b.String()), 0o600))
	return name
}

// TestFoundAudit audits the whole command without a domain file, as a black box, on two tables that differ in one person: 60
// runs on each (nightly 300). The attacker reads the domain that was found and the rows, and says "x" if the
// person's value stands there, or a range as wide as their amount.
//
// 60 runs prove a claim wrong whose attacker is always right: the bounds are .784 and .216, and .216·e + δ = .59. Of a sound
// build the attacker is right by noise alone, with probability 1e-3 of a run at most, and has to be so in 14 of 60: false alarms
// 1e-20 at most.
func TestFoundAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for 240 runs; make verify runs them")
	}
	claim := accountant.Params{Neighbouring: dp.AddRemove, Accounting: dp.ZCDP, Epsilon: 1, Delta: 1e-9}
	tables := [2]string{foundTable(t, true), foundTable(t, false)}
	for _, b := range foundBuilds {
		t.Run(b.name, func(t *testing.T) {
			runs := dptest.Size(60, 300)
			var hits [2]int
			for side, name := range tables {
				for range runs {
					if told(t, name, b.privacyID) {
						hits[side]++
					}
				}
			}
			var r rates
			r.low, _ = clopperPearson(hits[0], runs, confidence)
			_, r.high = clopperPearson(hits[1], runs, confidence)
			if refuted := r.excess(claim) > 0; refuted != b.refuted {
				t.Errorf("the claim is refuted: %t, want %t; true positives above %.4f, false ones below %.4f", refuted, b.refuted, r.low, r.high)
			}
			dptest.Figure(t, "found domain, %s: 2×%d runs; ε = 1 claimed, above %.2f proved", b.name, runs, r.proved(claim))
		})
	}
}

// told runs the command and reports whether what it publishes tells of the person.
func told(t *testing.T, input, privacyID string) bool {
	t.Helper()
	dir := t.TempDir()
	c := pipelines.Config{Input: input, Output: filepath.Join(dir, "out"), Format: "csv", PrivacyID: privacyID, Epsilon: 1, Delta: 1e-9, AcceptDelta: true, Runner: "direct", DomainShare: .5}
	r := must.Value(pipelines.ValidateFind(t.Context(), c))(t)
	if _, err := pipelines.RunFound(t.Context(), r); err != nil {
		if strings.Contains(err.Error(), "no column could be found") { // a release, too
			return false
		}
		t.Fatal(err)
	}
	texts, err := filepath.Glob(filepath.Join(dir, "out*", "*"))
	must.Need(t, err == nil && len(texts) >= 3, "published: %v, %v", texts, err)
	for _, name := range texts {
		data := must.Value(os.ReadFile(name))(t)
		text := string(data)
		switch {
		case filepath.Ext(name) == ".csv" && strings.Contains(text, "yes"),
			strings.HasSuffix(name, "_domain.yaml") && (strings.Contains(text, "yes") || strings.Contains(text, "max: 8388607")):
			return true
		}
	}
	return false
}
