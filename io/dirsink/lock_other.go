//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package dirsink

// lock does nothing on systems without flock: names are still taken only once.
func (local) lock(string) (func(), error) { return func() {}, nil }
