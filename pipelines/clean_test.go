package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/dirsink"
)

// Of one run clean says one thing: what it had prepared counts as spent only if it can have drawn.
func TestCleanSaysOneThingOfARun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, output := t.Context(), filepath.Join(t.TempDir(), "out")
	st, err := stagingArea{os.TempDir(), runPrefix, ""}.stage(ctx, "night")
	if err == nil {
		err = st.sign(ctx, note{RunID: "night", Output: output})
	}
	if err != nil {
		t.Fatal(err)
	}
	st.unlock() // it was killed
	for _, run := range []string{"night", "unknown"} {
		if err := (dirsink.Dir{Path: output, RunID: run, Shards: 1, Extension: "csv"}).Prepare(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := Clean(ctx, output, &text); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(text.String()), "\n") {
		run := "night"
		if strings.Contains(line, "unknown") {
			run = "unknown"
		}
		said[run] += line + "\n"
	}
	if s := said["night"]; strings.Count(s, "\n") < 2 || !strings.Contains(s, "it had spent nothing") || strings.Contains(s, "counts as spent") {
		t.Errorf("of a run that had not drawn:\n%s", s)
	}
	if s := said["unknown"]; !strings.Contains(s, "it counts as spent if anybody could read them") {
		t.Errorf("of a run of which nothing is known:\n%s", s)
	}
}
