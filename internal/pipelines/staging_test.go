package pipelines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// A release is kept beside its output if the directory for temporary files is gone after a power cut.
func TestNothingPaidForIsInMemoryAlone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "to", "be", "made", "out")
	memory, err := os.MkdirTemp("/dev/shm", "dapple-test-")
	if err != nil || !files.InMemory(memory) || files.InMemory(out) {
		t.Skip("missing: /dev/shm in memory, and TMPDIR on a disk")
	}
	t.Cleanup(func() { _ = os.RemoveAll(memory) })
	if got := (Config{Output: out}).withDefaults().to.scratch; got != os.TempDir() {
		t.Errorf("TMPDIR on a disk: kept in %s", got)
	}
	t.Setenv("TMPDIR", memory)
	to := (Config{Output: out}).withDefaults().to
	if dir := to.scratch; dir != filepath.Dir(out) {
		t.Errorf("TMPDIR in memory: kept in %s", dir)
	}
	st, err := to.area.Stage(t.Context(), "r")
	if err != nil || filepath.Dir(st.Dir) != filepath.Dir(out) {
		t.Fatal(st.Dir, err)
	}
	st.Remove(t.Context())
	if got := (Config{Output: filepath.Join(memory, "out")}).withDefaults().to.scratch; got != memory {
		t.Errorf("both in memory: kept in %s", got)
	}
}
