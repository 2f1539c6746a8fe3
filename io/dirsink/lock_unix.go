//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dirsink

import (
	"os"
	"syscall"
)

// lock holds the directory itself until the returned function is called, or the process ends.
func (local) lock(dir string) (func(), error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil && !isUnsupported(err) {
		d.Close()
		return nil, err
	}
	return func() { d.Close() }, nil
}

// A file system without locks is used without: names are still taken only once.
func isUnsupported(err error) bool {
	return err == syscall.ENOSYS || err == syscall.ENOTSUP || err == syscall.ENOLCK || err == syscall.EINVAL
}
