//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Movable says why a directory of this machine cannot be renamed; nil if it can be, as far as is known, or is not there.
func Movable(dir string) error {
	s, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return err
	}
	here, err := os.Stat(".")
	own, known := s.Sys().(*syscall.Stat_t)
	of, ofKnown := parent.Sys().(*syscall.Stat_t)
	const writable = 2 // W_OK of access(2)
	uid := os.Geteuid()
	switch {
	case err == nil && os.SameFile(s, here):
		return errors.New("it is the working directory, which cannot be replaced; name one in it")
	case !known || !ofKnown:
		return nil
	case own.Dev != of.Dev:
		return errors.New("a file system is mounted there, which cannot be replaced; name a directory in it")
	case syscall.Access(dir, writable) != nil:
		return fmt.Errorf("%s: %w", dir, fs.ErrPermission)
	case parent.Mode()&fs.ModeSticky != 0 && uid != 0 && int(own.Uid) != uid && int(of.Uid) != uid:
		return fmt.Errorf("it belongs to another user, and %s lets nobody else rename it", filepath.Dir(dir))
	}
	return nil
}
