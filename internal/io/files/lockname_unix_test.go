//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"syscall"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A lock that fails names its directory: here one that is held already.
func TestFailedLockNamesItsDirectory(t *testing.T) {
	dir := t.TempDir()
	release := must.Value(Hold(dir))(t)
	defer release()
	must.Fails(flock(dir, syscall.LOCK_EX|syscall.LOCK_NB))(t, dir)
}
