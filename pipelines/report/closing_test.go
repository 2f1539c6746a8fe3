package report_test

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/pipelines/report"
)

// Notes stand at the end of a run, a line each.
func TestClosingHasNotes(t *testing.T) {
	for _, notes := range [][]string{nil, {"one"}, {"one", "two"}} {
		var b strings.Builder
		if err := report.WriteClosing(&b, report.Privacy{}, report.Written{Output: "out", Notes: notes}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(b.String(), "\nnote    ") != len(notes) || len(notes) == 2 && !strings.HasSuffix(b.String(), "\nnote    one\nnote    two\n") {
			t.Errorf("%q: %s", notes, b.String())
		}
	}
}
