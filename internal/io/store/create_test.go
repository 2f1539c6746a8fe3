package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A value that is there stays, also where its creator came between another one's look and creation.
func TestCreateKeepsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	must.Do(t, create(path, []byte("first"), false))
	err := create(path, []byte("second"), false)
	must.Hold(t, errors.Is(err, fs.ErrExist), "a name that is taken: error %v, want that it exists", err)
	must.Equal(t, string(must.Value(os.ReadFile(path))(t)), "first", "the first value")
}
