package schema_test

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestPrivacyID: a column, or none, which is no column's name.
func TestPrivacyID(t *testing.T) {
	for text, want := range map[string]string{"privacy_id: person_id\n": "person_id", "privacy_id: none\n": ""} {
		f, err := schema.Parse("d.yaml", []byte(text+"columns:\n  - {name: x, type: BOOL, null: true}\n"))
		must.Hold(t, err == nil && f.Domain.PrivacyID == want, "%q: %q, %v; want %q", text, f.Domain.PrivacyID, err, want)
	}
}

// TestPrivacyIDIsADecision: a file that says nothing of who is protected is refused, with the columns that may name people.
func TestPrivacyIDIsADecision(t *testing.T) {
	for names, want := range map[string]string{
		"Days":                    "names the people, or privacy_id: none",
		"Days, Subject":           `names the people, perhaps "Subject", or privacy_id: none`,
		"mrn, customer_no, bedId": `names the people, perhaps "mrn" or "customer_no" or "bedId", or privacy_id: none`,
	} {
		text := "columns:\n"
		for name := range strings.SplitSeq(names, ", ") {
			text += "  - {name: " + name + ", type: INT64, min: 0, max: 9, null: true}\n"
		}
		_, err := schema.Parse("d.yaml", []byte(text))
		must.Hold(t, err != nil && strings.Contains(err.Error(), "d.yaml:1:1: privacy_id: is required") && strings.Contains(err.Error(), want),
			"%s: got %v; want %q", names, err, want)
	}
}
