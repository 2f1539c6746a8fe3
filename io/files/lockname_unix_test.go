//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"strings"
	"syscall"
	"testing"
)

// A lock that fails names its directory: here one that is held already.
func TestFailedLockNamesItsDirectory(t *testing.T) {
	dir := t.TempDir()
	release, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := flock(dir, syscall.LOCK_EX|syscall.LOCK_NB); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v does not name %s", err, dir)
	}
}
