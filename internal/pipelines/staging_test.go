package pipelines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A release is kept beside its output if the directory for temporary files is gone after a power cut.
func TestNothingPaidForIsInMemoryAlone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "to", "be", "made", "out")
	memory, err := os.MkdirTemp("/dev/shm", "dapple-test-")
	if err != nil || !files.InMemory(memory) || files.InMemory(out) {
		t.Skip("missing: /dev/shm in memory, and TMPDIR on a disk")
	}
	t.Cleanup(func() { _ = os.RemoveAll(memory) })
	must.Equal(t, (Config{Output: out}).withDefaults().to.scratch, os.TempDir(), "TMPDIR on a disk: kept in")
	t.Setenv("TMPDIR", memory)
	to := (Config{Output: out}).withDefaults().to
	must.Equal(t, to.scratch, filepath.Dir(out), "TMPDIR in memory: kept in")
	st, err := to.area.Stage(t.Context(), "r")
	must.Need(t, err == nil && filepath.Dir(st.Dir) == filepath.Dir(out), "%v, %v", st.Dir, err)
	st.Remove(t.Context())
	must.Equal(t, (Config{Output: filepath.Join(memory, "out")}).withDefaults().to.scratch, memory, "both in memory: kept in")
}
