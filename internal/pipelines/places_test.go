package pipelines

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/parquetio"
)

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
