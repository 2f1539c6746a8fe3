package schema

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestChargeOfFileIsChecked: a file carries what finding it has cost as it was written, and everything else in it may be
// edited. An edit of any part of the charge is refused, and so is an edit of who it was charged for.
func TestChargeOfFileIsChecked(t *testing.T) {
	for _, unit := range []string{"person", ""} {
		c := Charge{
			ID: "QX7", PrivacyID: unit, Neighbouring: "add_remove", Epsilon: .1, Delta: 1e-10, Accounting: "GDP", Loss: "1561/1099511627776",
			ValuesDelta: 6.25e-12, NoisyNumbers: 1317,
		}
		name := unit
		if name == "" {
			name = NoPrivacyID
		}
		body := "privacy_id: " + name + "\ncolumns:\n  - {name: sex, type: STRING, values: [M, F], other: true}\n"
		f := must.Value(Parse("found.yaml", []byte(body+c.String())))(t)
		must.Hold(t, *f.Charge == c, "read %+v, want %+v", *f.Charge, c)
		edited := strings.Replace(body, "M, F", "M", 1) + "expected_rows: 500\n"
		if f, err := Parse("found.yaml", []byte(edited+c.String())); err != nil || *f.Charge != c {
			t.Errorf("an edit beside the charge: %v", err)
		}
		for _, edit := range [][2]string{
			{"QX7", "QX8"}, {"add_remove", "replace"}, {`"0.1"`, `"0.01"`}, {"1e-10", "1e-12"}, {"GDP", "zCDP"}, {"1561/", "1/"}, {"6.25e-12", "0"}, {"1317", "1"},
			{"sha256: ", "sha256: 0"}, {`loss: "1561/1099511627776", `, ""}, {`"0.1"`, `"0.10"`},
		} {
			line := strings.Replace(c.String(), edit[0], edit[1], 1)
			must.Need(t, line != c.String(), "no %s in %s", edit[0], line)
			must.Fails(Parse("found.yaml", []byte(body+line)))(t, "found: ", "%s for %s", edit[1], edit[0])
		}
		_, err := Parse("found.yaml", []byte(strings.Replace(body, "privacy_id: "+name, "privacy_id: other", 1)+c.String()))
		must.Fail(t, err, "was found for privacy_id", "a domain of other people")
	}
}
