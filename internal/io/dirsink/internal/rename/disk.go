package rename

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Disk is the real disk.
var Disk layout.Disk = disk{}

type disk struct{}

func (disk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	return lists.Of(entries, func(e os.DirEntry) string { return e.Name() }), err
}

func (disk) Size(path string) (int64, error) {
	s, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return s.Size(), nil
}

func (d disk) Sum(path string) (n int64, crc uint32, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() // only read from
	h := crc32.New(layout.Castagnoli)
	n, err = io.Copy(h, f)
	return n, h.Sum32(), err
}

func (disk) Open(path string) (io.ReadCloser, error) { return os.Open(path) }

// MkdirAll makes the names of what it creates durable too.
func (d disk) MkdirAll(dir string) error {
	if s, err := os.Stat(dir); err == nil && s.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := d.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.Sync(parent)
}

// MkdirOwn keeps what is staged from other users: it is not published yet.
func (d disk) MkdirOwn(dir string) error {
	if err := d.MkdirAll(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func (disk) Create(path string) (layout.Handle, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return localFile{f}, err
}

// localFile is a file that is given up by closing it: it is removed by its path.
type localFile struct{ *os.File }

func (f localFile) Abort() error { return f.Close() }

// Place renames; a directory that is there is not replaced.
func (disk) Place(from, to string) error { return os.Rename(from, to) }

func (disk) Replace(from, to string) error { return os.Rename(from, to) }

func (disk) Remove(path string) error { return os.Remove(path) }

func (disk) RemoveAll(path string) error { return os.RemoveAll(path) }

func (disk) Sync(dir string) error { return files.SyncNames(dir) }
