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
	"syscall"

	"github.com/dapple-dp/dapple/io/files"
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
	place(from, to string) error      // moves from to the free name to, or fs.ErrExist
	replace(from, to string) error    // moves from to the name to, taken or not
	remove(path string) error         // of a file or an empty directory
	removeAll(path string) error      //
	sync(dir string) error            // makes the names in dir durable

	// lock waits for other publishers of dir; alone: the lock tells that none is left, on any machine.
	lock(dir string) (unlock func(), alone bool, err error)
	// claimable reports whether a lock tells that nobody publishes in dir at this moment.
	claimable(dir string) bool
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

// mkdirAll tries again if another run has just removed the common parent, which was empty.
func (local) mkdirAll(dir string) (err error) {
	for range 100 {
		if err = os.MkdirAll(dir, 0o777); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// mkdirOwn keeps what is staged from other users: it is not published yet.
func (d local) mkdirOwn(dir string) error {
	for range 100 {
		if err := d.mkdirAll(filepath.Dir(dir)); err != nil {
			return err
		}
		if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrNotExist) {
			if errors.Is(err, fs.ErrExist) {
				return nil
			}
			return err
		}
	}
	return os.Mkdir(dir, 0o700)
}

// lock holds the directory itself until unlock is called, or the process ends. A file system without locks is
// used without: names are still taken only once.
func (local) lock(dir string) (unlock func(), alone bool, err error) {
	unlock, err = files.Lock(dir)
	if err != nil && files.WithoutLocks(err) {
		return unlock, false, nil
	}
	return unlock, err == nil, err
}

func (local) claimable(dir string) bool {
	unlock, free := files.Take(dir)
	if free {
		unlock()
	}
	return free
}

func (local) create(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return localFile{f}, err
}

// localFile is a file that is given up by closing it: it is removed by its path.
type localFile struct{ *os.File }

func (f localFile) Abort() error { return f.Close() }

// place links, so that two publishers cannot both get the name. After a crash between link and remove
// both names exist, which is the same file twice.
func (local) place(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	switch {
	case errors.Is(err, syscall.EXDEV):
		return copyFree(from, to)
	case noLinks(err):
		return moveFree(from, to)
	}
	return err
}

// copyFree is place between file systems: under a name that no reader takes until the copy is whole and durable.
func copyFree(from, to string) (err error) {
	temp := to + copyMark + attempt()
	if err = copyFile(from, temp); err == nil {
		err = os.Link(temp, to)
	}
	if noLinks(err) {
		err = moveFree(temp, to)
	}
	if removeErr := os.Remove(temp); !errors.Is(removeErr, fs.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	if err != nil {
		return err
	}
	return os.Remove(from)
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close() // only read from
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return end(localFile{w}, err)
}

// moveFree is place where there are no links: two publishers that do not lock could both succeed.
func moveFree(from, to string) error {
	switch _, err := os.Lstat(to); {
	case err == nil:
		return &fs.PathError{Op: "place", Path: to, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Rename(from, to)
}

func noLinks(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported)
}

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
