package gs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// system is Cloud Storage. Versions are generations.
type system struct{}

var cloud system

// generation returns the generation that a version is. A text that is none gives one that no object has.
func generation(f files.Info) int64 {
	n, err := strconv.ParseInt(f.Version, 10, 64)
	if err != nil {
		return 1
	}
	return n
}

// describe refuses objects that the service unpacks as they are read: their ranges and their size mean
// something else then.
func describe(a *storage.ObjectAttrs) (files.Info, error) {
	o := files.Info{Name: scheme + a.Bucket + "/" + a.Name, Size: a.Size, Version: strconv.FormatInt(a.Generation, 10), CRC32C: a.CRC32C}
	if a.ContentEncoding == "gzip" {
		return files.Info{}, fmt.Errorf("%s: stored with Content-Encoding gzip; store it as it is", o.Name)
	}
	return o, nil
}

// Stat returns an object's state, without its content. fs.ErrNotExist is in the error if there is
// none of that name.
func (system) Stat(ctx context.Context, name string) (files.Info, error) {
	h, err := object(ctx, name)
	if err != nil {
		return files.Info{}, err
	}
	var a *storage.ObjectAttrs
	err = remote.Watched(ctx, func(ctx context.Context, _ func()) (err error) { a, err = h.Attrs(ctx); return err })
	if err != nil {
		return files.Info{}, fault(name, err)
	}
	return describe(a)
}

// List returns the objects whose names match a pattern; see files.Match. Names that end in "/" stand for
// directories and are left out. They come in the order of their names.
func (system) List(ctx context.Context, pattern string) ([]files.Info, error) {
	bucket, path := split(pattern)
	prefix, _, _ := strings.Cut(path, "*")
	var out []files.Info
	err := list(ctx, scheme+bucket+"/"+prefix, "", func(a *storage.ObjectAttrs) error {
		if strings.HasSuffix(a.Name, "/") || !files.Match(path, a.Name) {
			return nil
		}
		o, err := describe(a)
		out = append(out, o)
		return err
	})
	return out, err
}

// Names lists a directory: what stands up to the next "/" behind dir and a slash, each once, in order.
// A directory that is not there is empty.
func (system) Names(ctx context.Context, dir string) ([]string, error) {
	var out []string
	dir = strings.TrimSuffix(dir, "/") + "/"
	_, path := split(dir)
	err := list(ctx, dir, "/", func(a *storage.ObjectAttrs) error {
		name := strings.TrimSuffix(strings.TrimPrefix(a.Prefix+a.Name, path), "/")
		if name != "" {
			out = append(out, name)
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out), err
}

// list visits the objects whose names begin with prefix; with a delimiter, up to it.
func list(ctx context.Context, prefix, delimiter string, visit func(*storage.ObjectAttrs) error) error {
	if err := checkName(prefix); err != nil {
		return err
	}
	c, err := client(ctx)
	if err != nil {
		return err
	}
	bucket, path := split(prefix)
	q := &storage.Query{Prefix: path, Delimiter: delimiter, Projection: storage.ProjectionNoACL}
	if err := q.SetAttrSelection([]string{"Bucket", "Name", "Size", "Generation", "CRC32C", "ContentEncoding"}); err != nil {
		return fmt.Errorf("listing %s: %w", prefix, err)
	}
	var visiting error
	err = remote.Watched(ctx, func(ctx context.Context, alive func()) error {
		for it := c.Bucket(bucket).Objects(ctx, q); visiting == nil; alive() {
			a, err := it.Next()
			if errors.Is(err, iterator.Done) {
				return nil
			}
			if err != nil {
				return err
			}
			visiting = visit(a)
		}
		return nil
	})
	return errors.Join(bucketFault(prefix, err), visiting)
}

// scheme begins the names of objects.
const scheme = "gs://"

// CheckName is remote.CheckName.
func (system) CheckName(name string) error { return checkName(name) }

func checkName(name string) error { return remote.CheckName(scheme, name) }

// split returns the bucket and the path in it.
func split(name string) (bucket, object string) { return remote.Split(scheme, name) }

// Open reads length bytes of an object from offset; a length below 0 means up to its end. It is an
// error, fs.ErrNotExist, if the object has been replaced or removed since o was looked at.
func (system) Open(ctx context.Context, o files.Info, offset, length int64) (io.ReadCloser, error) {
	h, err := object(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	if o.Version != "" {
		h = h.Generation(generation(o))
	}
	r, err := remote.Open(ctx, func(ctx context.Context) (io.ReadCloser, error) { return h.NewRangeReader(ctx, offset, length) })
	if err != nil {
		return nil, fault(o.Name, err)
	}
	return r, nil
}
