package pipelines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// A release is kept beside its output if the directory for temporary files is gone after a power cut.
func TestNothingPaidForIsInMemoryAlone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "to", "be", "made", "out")
	memory, err := os.MkdirTemp("/dev/shm", "dapple-test-")
	if err != nil || !files.InMemory(memory) || files.InMemory(out) {
		t.Skip("missing: /dev/shm in memory, and TMPDIR on a disk")
	}
	t.Cleanup(func() { _ = os.RemoveAll(memory) })
	if got := (Engine{}).scratch("", out+".release"); got != os.TempDir() {
		t.Errorf("TMPDIR on a disk: kept in %s", got)
	}
	t.Setenv("TMPDIR", memory)
	dir := (Engine{}).scratch("", out+".release")
	if dir != filepath.Dir(out) {
		t.Errorf("TMPDIR in memory: kept in %s", dir)
	}
	st, err := run.AreaOf("", out+".release", dir).Stage(t.Context(), "r")
	if err != nil || filepath.Dir(st.Dir) != filepath.Dir(out) {
		t.Fatal(st.Dir, err)
	}
	st.Remove(t.Context())
	if got := (Engine{}).scratch("", filepath.Join(memory, "out.release")); got != memory {
		t.Errorf("both in memory: kept in %s", got)
	}
}
