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
func Disk(ctx context.Context, system files.System) layout.Disk { return disk{ctx, system} }

type disk struct {
	ctx    context.Context
	system files.System
}

func (o disk) List(dir string) ([]string, error) { return o.system.Names(o.ctx, dir) }

func (o disk) Sum(path string) (int64, uint32, error) {
	return remote.Sum(o.ctx, o.system, path)
}

func (o disk) Size(path string) (int64, error) {
	s, err := o.system.Stat(o.ctx, path)
	return s.Size, err
}

func (o disk) Open(path string) (io.ReadCloser, error) {
	return o.system.Open(o.ctx, files.Info{Name: path}, 0, -1)
}

func (disk) MkdirAll(string) error { return nil }

func (o disk) Create(path string) (layout.Handle, error) {
	w, err := o.system.Create(o.ctx, path)
	return objectFile{w}, err
}

// Place copies and removes. Both may have been done before by a call whose answer was lost.
func (o disk) Place(from, to string) error { return o.move(from, to, files.Info{}) }

func (o disk) Replace(from, to string) error {
	old, err := o.system.Stat(o.ctx, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return o.move(from, to, old)
}

func (o disk) move(from, to string, old files.Info) error {
	src, err := o.system.Stat(o.ctx, from)
	if err != nil {
		return err
	}
	if err := o.system.Copy(o.ctx, src, to, old); err != nil {
		return err
	}
	return o.system.Remove(o.ctx, src)
}

func (o disk) Remove(path string) error {
	s, err := o.system.Stat(o.ctx, path)
	if err != nil {
		return err
	}
	return o.system.Remove(o.ctx, s)
}

func (o disk) RemoveAll(path string) error {
	found, err := o.system.List(o.ctx, files.Join(path, "**"))
	for _, s := range slices.Backward(found) {
		err = errors.Join(err, o.system.Remove(o.ctx, s))
	}
	return err
}

func (disk) Sync(string) error { return nil }

func (disk) MkdirOwn(string) error { return nil }

// objectFile is an object being written, in the form of a file.
type objectFile struct{ files.Writer }

func (objectFile) Sync() error { return nil }

func (f objectFile) Abort() error {
	f.Writer.Abort()
	return nil
}
