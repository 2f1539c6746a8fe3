//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dirsink

import (
	"errors"
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
		if !errors.Is(err, syscall.EINTR) {
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
	return errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL)
}
