package dirsink

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/rename"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Wherever a publication is cut off, abandoning it leaves the complete output or none, and what others
// have put there.
func TestAbandonTakesBackWhatWasCutOff(t *testing.T) {
	cutOff, published := 0, 0
	for n := 1; published == 0; n++ {
		d := Dir{Path: filepath.Join(quickDir(t), "out"), RunID: "run", Shards: 3, Extension: "csv"}
		must.Do(t, d.Prepare(ctx))
		refs := stage(t, d)
		failing := d
		failing.Disk = faulty{Disk: rename.Disk, n: &n, dead: true}
		before := n
		_, err := failing.Publish(ctx, refs, releasedFiles("run"), nil)
		n = before
		if err := d.Abandon(ctx, "_privacy.json", "_report.html"); err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		if _, readErr := Open(ctx, d.Path); readErr == nil {
			finished(t, d)
			if err == nil {
				published = n
			}
			continue
		}
		cutOff++
		left, err := os.ReadDir(filepath.Dir(d.Path))
		must.Hold(t, err == nil && len(left) <= 0, "operation %d: %v is left (%v)", n, left, err)
	}
	must.Hold(t, cutOff >= 10, "only %d cut-off publications were tried", cutOff)
}

func TestAbandonLeavesTheFilesOfOthers(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "first", Shards: 2, Extension: "csv"}
	must.Value(d.Publish(ctx, stage(t, d), releasedFiles("first"), nil))(t)
	second := Dir{Path: d.Path, RunID: "second", Shards: 2, Extension: "csv", Overwrite: true}
	stage(t, second)
	must.Do(t, second.Abandon(ctx, "_privacy.json", "_report.html"))
	finished(t, d)

	foreign := Dir{Path: t.TempDir(), RunID: "run", Shards: 2, Extension: "csv"}
	stage(t, foreign)
	check(t, os.Mkdir(foreign.in(ctx).ReleaseDir(), 0o700))
	for _, path := range []string{foreign.in(ctx).At("part-00000-of-00002.csv"), foreign.in(ctx).At("notes.txt"), foreign.in(ctx).InRelease("_privacy.json")} {
		must.Do(t, os.WriteFile(path, []byte("of somebody else"), 0o666))
	}
	must.Do(t, foreign.Abandon(ctx, "_privacy.json"))
	if rows, others, _ := foreign.in(ctx).Names(); !slices.Equal(rows, []string{"notes.txt", "part-00000-of-00002.csv"}) || !slices.Equal(others, []string{"_privacy.json"}) {
		t.Errorf("left %v and %v", rows, others)
	}
}

func TestAbandonOfADirectoryThatIsNotThere(t *testing.T) {
	d := Dir{Path: filepath.Join(t.TempDir(), "out"), RunID: "run"}
	must.Pass(t, d.Abandon(ctx))
	must.Fail(t, (Dir{}).Abandon(ctx), "", "a directory without a name was accepted")
}
