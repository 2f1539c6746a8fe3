package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Of one run clean says one thing: what it had prepared counts as spent only if it can have drawn.
func TestCleanSaysOneThingOfARun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, output := t.Context(), filepath.Join(t.TempDir(), "out")
	st, err := run.Area{Dir: os.TempDir(), Prefix: run.Prefix}.Stage(ctx, "night")
	if err == nil {
		err = st.Sign(ctx, run.Note{RunID: "night", Output: output})
	}
	must.Do(t, err)
	st.Unlock() // it was killed
	for _, run := range []string{"night", "unknown"} {
		must.Do(t, (dirsink.Dir{Path: output, RunID: run, Shards: 1, Extension: "csv"}).Prepare(ctx))
	}
	var text strings.Builder
	must.Do(t, Clean(ctx, &text, CleanConfig{Output: output}))
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
	must.Contain(t, said["unknown"], "it counts as spent if anybody could read them", "of a run of which nothing is known")
}

// TestCleanRemovesWhatWasFound: what an unfinished run has found of a table is removed, and clean says whether it was paid
// for. It is left where a run is at work, and where somebody else has written.
func TestCleanRemovesWhatWasFound(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx := t.Context()
	for name, c := range map[string]struct {
		files  []string
		atWork bool
		says   string
		gone   bool
	}{
		"found":              {[]string{"found-1" + discover.FoundSuffix, "found-1" + discover.FoundSuffix + synth.DrawnSuffix, "found-1" + idSuffix}, false, "counts as spent", true},
		"drawn":              {[]string{"found-1" + discover.FoundSuffix + synth.DrawnSuffix}, false, "counts as spent", true},
		"begun":              {[]string{"found-1" + idSuffix}, false, "nothing was spent", true},
		"killed as it wrote": {[]string{"found-1" + idSuffix, store.Unnamed + "123"}, false, "nothing was spent", true},
		"at work":            {[]string{"found-1" + discover.FoundSuffix}, true, "a run is at work", false},
		"foreign":            {[]string{"thesis.tex"}, false, "no run has written", false},
	} {
		output := filepath.Join(t.TempDir(), "out")
		r := &FindRequest{dir: foundDir(output)}
		must.Do(t, r.hold())
		for _, file := range c.files {
			if strings.HasPrefix(file, store.Unnamed) {
				must.Do(t, os.WriteFile(filepath.Join(r.dir, file), nil, 0o600))
				continue
			}
			_, _, err := archive.Open(r.dir).CreateIfAbsent(ctx, file, []byte("{}"))
			must.Do(t, err)
		}
		if !c.atWork {
			r.unlock()
		}
		var text strings.Builder
		must.Do(t, Clean(ctx, &text, CleanConfig{Output: output}))
		_, err := os.Stat(r.dir)
		must.Hold(t, strings.Contains(text.String(), c.says) && os.IsNotExist(err) == c.gone, "%s: %v, %s", name, err, text.String())
	}
}
