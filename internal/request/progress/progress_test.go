package progress

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// sizesAndTimes are sizes, and times of any length: a busy machine can stop a test for seconds.
var sizesAndTimes = regexp.MustCompile(`[0-9.]+ k?M?B|[0-9][0-9hm.]*s\b`)

// shown returns what a meter writes about a run of three stages.
func shown(t *testing.T, terminal bool) string {
	t.Helper()
	var out bytes.Buffer
	m := New(1_000_000, Form{Progress: &out, Terminal: terminal})
	stop := m.Start()
	for i := range 5 {
		m.report("fit", i, 4)
	}
	for _, n := range []int{1000, 2000, 300} { // shards report as they come
		m.report("writing", n, 2000)
	}
	stop()
	return out.String()
}

// What is in a file says nothing of the size of the table.
func TestProgressInAFile(t *testing.T) {
	want := "reading (X)\nfit: about 4 steps (X)\nwriting: 2000 in all (X)\n"
	must.Equal(t, sizesAndTimes.ReplaceAllString(shown(t, false), "X"), want)
}

// On a terminal one line is written over and over, and wiped at the end.
func TestProgressOnATerminal(t *testing.T) {
	raw := shown(t, true)
	got := sizesAndTimes.ReplaceAllString(raw, "X")
	must.Hold(t, !strings.Contains(got, "\n") && strings.HasSuffix(got, " \r"), "the line is left, or has ends: %q", got)
	for _, want := range []string{"\rreading X of X, X", "\rfit 0 of about 4, X", "\rfit 4 of about 4, X", "\rwriting 1000 of 2000, X", "\rwriting 2000 of 2000, X"} {
		must.Hold(t, strings.Contains(got, want), "%q lacks %q", got, want)
	}
	lines := strings.Split(strings.Trim(raw, "\r "), "\r")
	for i := 1; i < len(lines); i++ {
		must.Hold(t, len(lines[i]) >= len(strings.TrimRight(lines[i-1], " ")), "%q does not cover %q", lines[i], lines[i-1])
	}
}
