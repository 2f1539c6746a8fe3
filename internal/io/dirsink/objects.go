package dirsink

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// objects is a disk of objects. There are no directories, and whatever is there is durable. Nothing
// locks: each step names the state that it builds on, and fails if that has changed.
type objects struct {
	ctx context.Context // of the call that the disk was made for
	files.System
}

func (o objects) list(dir string) ([]string, error) { return o.Names(o.ctx, dir) }

func (o objects) sum(path string) (int64, uint32, error) {
	return remote.Sum(o.ctx, o.System, path)
}

func (o objects) size(path string) (int64, error) {
	s, err := o.Stat(o.ctx, path)
	return s.Size, err
}

func (o objects) open(path string) (io.ReadCloser, error) {
	return o.Open(o.ctx, files.Info{Name: path}, 0, -1)
}

func (objects) mkdirAll(string) error { return nil }

func (o objects) create(path string) (file, error) {
	w, err := o.Create(o.ctx, path)
	return objectFile{w}, err
}

// place copies and removes. Both may have been done before by a call whose answer was lost.
func (o objects) place(from, to string) error { return o.move(from, to, files.Info{}) }

func (o objects) replace(from, to string) error {
	old, err := o.Stat(o.ctx, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return o.move(from, to, old)
}

func (o objects) move(from, to string, old files.Info) error {
	src, err := o.Stat(o.ctx, from)
	if err != nil {
		return err
	}
	if err := o.Copy(o.ctx, src, to, old); err != nil {
		return err
	}
	return o.Remove(o.ctx, src)
}

func (o objects) remove(path string) error {
	s, err := o.Stat(o.ctx, path)
	if err != nil {
		return err
	}
	return o.Remove(o.ctx, s)
}

func (o objects) removeAll(path string) error {
	found, err := o.List(o.ctx, files.Join(path, "**"))
	for _, s := range slices.Backward(found) {
		err = errors.Join(err, o.Remove(o.ctx, s))
	}
	return err
}

func (objects) sync(string) error { return nil }

func (objects) mkdirOwn(string) error { return nil }

// objectFile is an object being written, in the form of a file.
type objectFile struct{ files.Writer }

func (objectFile) Sync() error { return nil }

func (f objectFile) Abort() error {
	f.Writer.Abort()
	return nil
}
