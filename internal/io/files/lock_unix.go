//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"
	"syscall"
)

// Hold marks a directory of this machine as in use until release is called or the process ends, whichever way
// that is. Several processes can hold one directory. A file system without locks is used without.
func Hold(dir string) (release func(), err error) {
	d, err := flock(dir, syscall.LOCK_SH)
	if err != nil && !WithoutLocks(err) {
		return nil, err
	}
	return d, nil
}

// Take is Hold for a directory that nobody holds: then nobody else can hold it before release. It returns
// false if somebody does, if the directory belongs to another user, and if that cannot be found out.
func Take(dir string) (release func(), free bool) {
	s, err := os.Lstat(dir)
	if err != nil || !s.IsDir() {
		return nil, false
	}
	if owner, known := s.Sys().(*syscall.Stat_t); !known || int(owner.Uid) != os.Getuid() {
		return nil, false
	}
	release, err = flock(dir, syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		return nil, false
	}
	return release, true
}

// flock locks a directory. The returned function is never nil.
func flock(dir string, how int) (release func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return func() {}, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		d.Close() // only locked
		return func() {}, &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	return func() { d.Close() }, nil
}

// Lock waits until nobody else holds a directory and holds it alone. On a file system without locks it holds
// nothing, with an error for which WithoutLocks is true.
func Lock(dir string) (release func(), err error) { return flock(dir, syscall.LOCK_EX) }

// WithoutLocks reports whether an error of Lock says that the file system has none.
func WithoutLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL)
}
