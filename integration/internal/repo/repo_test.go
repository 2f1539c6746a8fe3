package repo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestModule(t *testing.T) {
	root := must.Value(Root())(t)
	for folder, want := range map[string][2]string{
		"internal/dp/mechanism":    {"", "./internal/dp/mechanism"},
		"integration":              {"integration", "."},
		"integration/privacy":      {"integration", "./privacy"},
		"integration/services/gcs": {"integration/services", "./gcs"},
	} {
		dir, pattern := Module(root, folder)
		must.Hold(t, dir == filepath.Join(root, want[0]) && pattern == want[1], "%s: %s in %s, want %s in %q", folder, pattern, dir, want[1], want[0])
		must.Passes(os.Stat(filepath.Join(dir, pattern)))(t)
	}
}

func TestRootIsSought(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := Root()
	must.Hold(t, err != nil, "%s is taken for the repository", dir)
}
