package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Local keeps values as files of a directory, which is created if need be.
type Local struct {
	Dir string
	// Shared: the directory is as open as the umask says, and whoever may read it may read its values too. Otherwise only
	// their owner can.
	Shared bool
}

// CreateIfAbsent stores data under name unless the name is taken, and returns what is stored now:
// data and true, or the value that came first and false. On an error nothing is known about what is
// stored; the same call may be repeated. A name is one or more words of letters, digits, "_", "-" and
// ".", joined by "/".
func (s Local) CreateIfAbsent(ctx context.Context, name string, data []byte) (current []byte, created bool, err error) {
	path, err := s.path(name)
	if err != nil {
		return nil, false, err
	}
	if current, found, err := s.Get(ctx, name); found || err != nil {
		return current, false, err
	}
	err = create(path, data, s.Shared)
	if errors.Is(err, fs.ErrExist) {
		current, found, err := s.Get(ctx, name)
		if err == nil && !found {
			err = fmt.Errorf("store: %q was there and is gone; nothing may remove it during a run", name)
		}
		return current, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("store: creating %q: %w", name, err)
	}
	return data, true, nil
}

// Get returns the value stored under name, and whether there is one.
func (s Local) Get(ctx context.Context, name string) (data []byte, found bool, err error) {
	path, err := s.path(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, false, err
	}
	data, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("store: reading %q: %w", name, err)
	}
	return data, true, nil
}

// OnThisMachine reports that other machines do not see the store, unless they share its disk.
func (s Local) OnThisMachine() bool { return true }

func (s Local) path(name string) (string, error) {
	if s.Dir == "" {
		return "", errors.New("store: no directory is given")
	}
	if err := checkName(name); err != nil {
		return "", err
	}
	return filepath.Join(s.Dir, filepath.FromSlash(name)), nil
}

func checkName(name string) error {
	for word := range strings.SplitSeq(name, "/") {
		if word == "" || strings.HasPrefix(word, ".") || strings.Trim(word, letters) != "" {
			return fmt.Errorf("store: name %q: want words of letters, digits, _, - and . joined by /", name)
		}
	}
	return nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// Unnamed begins the name of a file that has no name yet. A program that is killed leaves it.
const Unnamed = ".new-"

// create makes a file of the given content, or returns fs.ErrExist. The content is on disk before it
// gets its name: a link either finds the name free or fails, no matter who else tries.
func create(path string, data []byte, shared bool) (err error) {
	dir := filepath.Dir(path)
	mode := os.FileMode(0o700)
	if shared {
		mode = 0o777
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, Unnamed+"*") // no name can begin with a full stop
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()
	if shared {
		at, err := os.Stat(dir)
		if err == nil {
			err = temp.Chmod(0o600 | at.Mode().Perm()&0o444)
		}
		if err != nil {
			return errors.Join(err, temp.Close())
		}
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil {
		return err
	}
	return files.SyncNames(dir)
}
