package dirsink

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/gcs"
)

// service is what a directory of objects needs of an object store; tests put failures in between.
type service interface {
	names(ctx context.Context, dir string) ([]string, error)
	list(ctx context.Context, pattern string) ([]gcs.Object, error)
	stat(ctx context.Context, name string) (gcs.Object, error)
	open(ctx context.Context, o gcs.Object) (io.ReadCloser, error)
	create(ctx context.Context, name string) (objectWriter, error)
	copy(ctx context.Context, from gcs.Object, to string, old gcs.Object) error
	remove(ctx context.Context, o gcs.Object) error
}

// objectWriter is an object being written: there as a whole after Close, or not at all.
type objectWriter interface {
	io.WriteCloser
	Abort()
}

// cloud is Cloud Storage.
type cloud struct{}

func (cloud) names(ctx context.Context, dir string) ([]string, error) { return gcs.Names(ctx, dir) }

func (cloud) list(ctx context.Context, pattern string) ([]gcs.Object, error) {
	return gcs.List(ctx, pattern)
}

func (cloud) stat(ctx context.Context, name string) (gcs.Object, error) { return gcs.Stat(ctx, name) }

func (cloud) open(ctx context.Context, o gcs.Object) (io.ReadCloser, error) {
	return gcs.Open(ctx, o, 0, -1)
}

func (cloud) create(ctx context.Context, name string) (objectWriter, error) {
	return gcs.Create(ctx, name)
}

func (cloud) copy(ctx context.Context, from gcs.Object, to string, old gcs.Object) error {
	return gcs.Copy(ctx, from, to, old)
}

func (cloud) remove(ctx context.Context, o gcs.Object) error { return gcs.Remove(ctx, o) }

// objects is a disk of objects. There are no directories, and whatever is there is durable. Nothing
// locks: each step names the state that it builds on, and fails if that has changed.
type objects struct {
	ctx context.Context // of the call that the disk was made for
	service
}

func (o objects) list(dir string) ([]string, error) { return o.names(o.ctx, dir) }

func (o objects) sum(path string) (int64, uint32, error) {
	s, err := o.stat(o.ctx, path)
	return s.Size, s.CRC32C, err
}

func (o objects) size(path string) (int64, error) {
	n, _, err := o.sum(path)
	return n, err
}

func (o objects) open(path string) (io.ReadCloser, error) {
	return o.service.open(o.ctx, gcs.Object{Name: path})
}

func (objects) mkdirAll(string) error { return nil }

func (o objects) create(path string) (file, error) {
	w, err := o.service.create(o.ctx, path)
	return objectFile{w}, err
}

// place copies and removes. Both may have been done before by a call whose answer was lost.
func (o objects) place(from, to string) error { return o.move(from, to, gcs.Object{}) }

func (o objects) replace(from, to string) error {
	old, err := o.stat(o.ctx, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return o.move(from, to, old)
}

func (o objects) move(from, to string, old gcs.Object) error {
	src, err := o.stat(o.ctx, from)
	if err != nil {
		return err
	}
	if err := o.copy(o.ctx, src, to, old); err != nil {
		return err
	}
	return o.service.remove(o.ctx, src)
}

func (o objects) remove(path string) error {
	s, err := o.stat(o.ctx, path)
	if err != nil {
		return err
	}
	return o.service.remove(o.ctx, s)
}

func (o objects) removeAll(path string) error {
	found, err := o.service.list(o.ctx, gcs.Join(path, "**"))
	for _, s := range slices.Backward(found) {
		err = errors.Join(err, o.service.remove(o.ctx, s))
	}
	return err
}

func (objects) sync(string) error { return nil }

func (objects) mkdirOwn(string) error { return nil }

func (objects) lock(string) (func(), bool, error) { return func() {}, false, nil }

func (objects) claimable(string) bool { return false }

// objectFile is an object being written, in the form of a file.
type objectFile struct{ objectWriter }

func (objectFile) Sync() error { return nil }

func (f objectFile) Abort() error {
	f.objectWriter.Abort()
	return nil
}
