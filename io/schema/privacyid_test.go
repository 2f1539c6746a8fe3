package schema_test

import (
	"testing"

	"github.com/dapple-dp/dapple/io/schema"
)

// TestPrivacyID: a column, or none, which is no column's name.
func TestPrivacyID(t *testing.T) {
	for text, want := range map[string]string{"privacy_id: person_id\n": "person_id", "privacy_id: none\n": "", "": ""} {
		f, err := schema.Parse("d.yaml", []byte(text+"columns:\n  - {name: x, type: BOOL, null: true}\n"))
		if err != nil || f.Domain.PrivacyID != want {
			t.Errorf("%q: %q, %v; want %q", text, f.Domain.PrivacyID, err, want)
		}
	}
}
