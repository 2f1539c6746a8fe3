package objects

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// Disk is a disk of objects. There are no directories, and whatever is there is durable. Nothing
// locks: each step names the state that it builds on, and fails if that has changed.
type Disk struct {
	Context context.Context // of the call that the disk was made for
	System  files.System
}

func (o Disk) List(dir string) ([]string, error) { return o.System.Names(o.Context, dir) }

func (o Disk) Sum(path string) (int64, uint32, error) {
	return remote.Sum(o.Context, o.System, path)
}

func (o Disk) Size(path string) (int64, error) {
	s, err := o.System.Stat(o.Context, path)
	return s.Size, err
}

func (o Disk) Open(path string) (io.ReadCloser, error) {
	return o.System.Open(o.Context, files.Info{Name: path}, 0, -1)
}

func (Disk) MkdirAll(string) error { return nil }

func (o Disk) Create(path string) (layout.Handle, error) {
	w, err := o.System.Create(o.Context, path)
	return objectFile{w}, err
}

// Place copies and removes. Both may have been done before by a call whose answer was lost.
func (o Disk) Place(from, to string) error { return o.move(from, to, files.Info{}) }

func (o Disk) Replace(from, to string) error {
	old, err := o.System.Stat(o.Context, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return o.move(from, to, old)
}

func (o Disk) move(from, to string, old files.Info) error {
	src, err := o.System.Stat(o.Context, from)
	if err != nil {
		return err
	}
	if err := o.System.Copy(o.Context, src, to, old); err != nil {
		return err
	}
	return o.System.Remove(o.Context, src)
}

func (o Disk) Remove(path string) error {
	s, err := o.System.Stat(o.Context, path)
	if err != nil {
		return err
	}
	return o.System.Remove(o.Context, s)
}

func (o Disk) RemoveAll(path string) error {
	found, err := o.System.List(o.Context, files.Join(path, "**"))
	for _, s := range slices.Backward(found) {
		err = errors.Join(err, o.System.Remove(o.Context, s))
	}
	return err
}

func (Disk) Sync(string) error { return nil }

func (Disk) MkdirOwn(string) error { return nil }

// objectFile is an object being written, in the form of a file.
type objectFile struct{ files.Writer }

func (objectFile) Sync() error { return nil }

func (f objectFile) Abort() error {
	f.Writer.Abort()
	return nil
}
