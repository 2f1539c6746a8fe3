package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// TestIDRules: a statement says what was made of privacy IDs on request, which makes one ID of several, and that
// the form of the input is not covered.
func TestIDRules(t *testing.T) {
	const usual = "one record for each privacy ID: the one of least SHA-256 rank; records without an ID are not used"
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Bool, Values: []string{"true"}, Null: true}}}
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{}, usual},
		{Run{TrimID: true}, usual + "; blanks around an ID are not part of it (csv: trim_id)"},
		{Run{NullID: []string{"NA"}}, usual + `; an ID that reads "NA" counts as none (csv: null_id)`},
	} {
		c.run.Domain = d
		p := New(c.run)
		if p.Bounding != c.want {
			t.Errorf("got %q, want %q", p.Bounding, c.want)
		}
		if !slices.ContainsFunc(p.NotCover, func(s string) bool {
			return strings.Contains(s, "a quote that opens a cell and never closes ends the run")
		}) {
			t.Error("the form of the input passes for covered")
		}
	}
}
