//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import "errors"

// Hold does nothing on systems without flock.
func Hold(string) (release func(), err error) { return func() {}, nil }

// Take returns false on systems without flock, where nobody can tell whether a directory is in use.
func Take(string) (release func(), free bool) { return nil, false }

// Lock holds nothing on systems without flock.
func Lock(string) (release func(), err error) { return func() {}, errors.ErrUnsupported }

// WithoutLocks reports whether an error of Lock says that there are no locks.
func WithoutLocks(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
