package dirsink

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// disk is what the protocol needs of a file system; tests put failures in between.
type disk interface {
	list(dir string) ([]string, error)
	size(path string) (int64, error)
	sum(path string) (size int64, crc uint32, err error)
	open(path string) (io.ReadCloser, error)
	mkdirAll(dir string) error
	mkdirOwn(dir string) error        // mkdirAll, and only this user can read dir
	create(path string) (file, error) // fails if the name is taken
	place(from, to string) error      // moves from to the free name to; an object that is there is an fs.ErrExist
	replace(from, to string) error    // moves from to the name to, taken or not
	remove(path string) error         // of a file or an empty directory
	removeAll(path string) error      //
	sync(dir string) error            // makes the names in dir durable
}

// file is a file being written. It ends with Close or Abort: closing one that is not whole would make
// it an object of a store.
type file interface {
	io.WriteCloser
	Sync() error
	Abort() error
}

// local is the real disk.
type local struct{}

func (local) list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (local) size(path string) (int64, error) {
	s, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return s.Size(), nil
}

func (d local) sum(path string) (n int64, crc uint32, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() // only read from
	h := crc32.New(castagnoli)
	n, err = io.Copy(h, f)
	return n, h.Sum32(), err
}

func (local) open(path string) (io.ReadCloser, error) { return os.Open(path) }

// mkdirAll makes the names of what it creates durable too.
func (d local) mkdirAll(dir string) error {
	if s, err := os.Stat(dir); err == nil && s.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := d.mkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.sync(parent)
}

// mkdirOwn keeps what is staged from other users: it is not published yet.
func (d local) mkdirOwn(dir string) error {
	if err := d.mkdirAll(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func (local) create(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return localFile{f}, err
}

// localFile is a file that is given up by closing it: it is removed by its path.
type localFile struct{ *os.File }

func (f localFile) Abort() error { return f.Close() }

// place renames; a directory that is there is not replaced.
func (local) place(from, to string) error { return os.Rename(from, to) }

func (local) replace(from, to string) error { return os.Rename(from, to) }

func (local) remove(path string) error { return os.Remove(path) }

func (local) removeAll(path string) error { return os.RemoveAll(path) }

func (local) sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// attempt names one attempt, unlike all others.
func attempt() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
