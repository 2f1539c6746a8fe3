package report_test

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/pipelines/report"
)

// Files that other runs have left are named at the end of a run, and only then.
func TestClosingNamesWhatOthersLeft(t *testing.T) {
	for staged, want := range map[int]string{0: "", 1: "files of 1 other run: ", 3: "files of 3 other runs: "} {
		var b strings.Builder
		if err := report.WriteClosing(&b, report.Privacy{}, report.Written{Output: "out", Staged: staged}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "note    out/_tmp holds "); got != (staged > 0) || !strings.Contains(b.String(), want) {
			t.Errorf("%d runs: %s", staged, b.String())
		}
	}
}
