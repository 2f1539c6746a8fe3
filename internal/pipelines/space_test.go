package pipelines

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/parquetio"
)

// Directories of one disk share what is left of it; an unknown disk is tried.
func TestShortages(t *testing.T) {
	needs := []need{{"--output", "out", "rows", 600, 8}, {"TMPDIR", "tmp", "model", 500, 8}}
	disk := func(disks ...files.Free) func(string) (files.Free, bool) {
		return func(dir string) (files.Free, bool) {
			f := disks[0]
			if dir == "tmp" {
				f = disks[len(disks)-1]
			}
			return f, f.Disk > 0
		}
	}
	for name, tt := range map[string]struct {
		space func(string) (files.Free, bool)
		want  string
	}{
		"room for both":  {disk(files.Free{Disk: 1, Bytes: 1100, Files: 16}), ""},
		"names are free": {disk(files.Free{Disk: 1, Bytes: 1100, Files: -1}), ""},
		"two disks":      {disk(files.Free{Disk: 1, Bytes: 600, Files: 8}, files.Free{Disk: 2, Bytes: 500, Files: 8}), ""},
		"not known":      {disk(files.Free{}), ""},
		"room for one":   {disk(files.Free{Disk: 1, Bytes: 1099, Files: 16}), "TMPDIR: tmp has 499 B left for the model, of about 500 B; make room"},
		"room for none":  {disk(files.Free{Disk: 1, Files: 16}, files.Free{Disk: 2, Bytes: 500, Files: 8}), "--output: out has 0 B left for the rows, of about 600 B; make room"},
		"too few names":  {disk(files.Free{Disk: 1, Bytes: 1100, Files: 15}), "TMPDIR: tmp has room for 7 more files, and the model need 8; remove some, lower --shards"},
	} {
		got := shortages(needs, tt.space)
		must.Hold(t, (tt.want == "") == (len(got) == 0) && strings.Contains(got.Error(), tt.want), "%s: %v", name, got)
	}
}

// Files that are not published yet go to a place of all workers, or of this machine.
func TestPlacesForTemporaryFiles(t *testing.T) {
	var faults Faults
	checkStore("", &faults)
	checkStore("gs://bucket/temp", &faults)
	checkStore(filepath.Join(t.TempDir(), "volume", "store"), &faults)
	must.Hold(t, len(faults) == 0, "%v", faults)
	for _, dir := range []string{"/dev/null/store", "gone://bucket/temp", "gs://bucket/a?b"} {
		faults = nil
		checkStore(dir, &faults)
		must.Hold(t, len(faults) == 1 && faults[0].Where == "--store", "%s: %v", dir, faults)
	}
}

// The release is kept where the workers of a run see it.
func TestStagingFollowsTheOutput(t *testing.T) {
	must.Equal(t, (Config{Output: "gs://bucket/out"}).withDefaults().to.area.Name("run"), "gs://bucket/out.release/_tmp/run-release")
	st, err := run.AreaOf("", "out", t.TempDir()).Stage(t.Context(), "run")
	must.Hold(t, err == nil && !strings.Contains(st.Dir, "out/"), "%v, %v", st, err)
	st.Remove(t.Context())
}
