package table

import (
	"context"
	"io"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// RegisterStore assigns names that begin with scheme:// to s. Packages call it from an init function, so that a program
// imports a package to use its scheme. It panics if the scheme is taken.
func RegisterStore(scheme string, s Store) {
	files.Register(scheme, s)
}

// Store is a store of objects whose names begin with its scheme, such as gs://bucket/path. A call either reports
// what it did or may be repeated. Errors begin with the name, wrap fs.ErrNotExist, fs.ErrExist or fs.ErrPermission if
// they apply, and say what to do; a missing bucket is not fs.ErrNotExist.
//
//	type Store interface {
//		// CheckName returns the fault in the form of the name of an object, a directory or a pattern.
//		CheckName(name string) error
//		// Stat returns the state of an object.
//		Stat(ctx context.Context, name string) (FileInfo, error)
//		// List returns the objects that match a pattern (see Match), in order of name.
//		List(ctx context.Context, pattern string) ([]FileInfo, error)
//		// Names returns the names in dir: the parts of names between dir and a slash and the next slash, each once, in
//		// order.
//		Names(ctx context.Context, dir string) ([]string, error)
//		// Open reads length bytes from offset, or to the end if length is negative. If f has a Version it reads that
//		// version, or returns fs.ErrNotExist.
//		Open(ctx context.Context, f FileInfo, offset, length int64) (io.ReadCloser, error)
//		// Create begins an object with an unused name. Close fails with fs.ErrExist if the name now has other content.
//		Create(ctx context.Context, name string) (ObjectWriter, error)
//		// Replace is Create for a name that may be in use.
//		Replace(ctx context.Context, name string) (ObjectWriter, error)
//		// Copy gives the content of one version to a name that still has the state old; the zero FileInfo means an unused
//		// name. If the name has that content already, it succeeds; if it has other content, the error wraps fs.ErrExist.
//		Copy(ctx context.Context, from FileInfo, to string, old FileInfo) error
//		// Remove removes one version of an object. It succeeds if the version is gone already.
//		Remove(ctx context.Context, f FileInfo) error
//		// Close closes all connections. A later call opens them again.
//		Close() error
//	}
type Store = files.System

// FileInfo is the state of a file when it was found. It is plain data, and public.
//
//	type FileInfo struct {
//		Name    string // a local path, or one of a registered scheme, such as gs://bucket/path
//		Size    int64  // bytes
//		Version string // changes with the content: a generation, a tag, or nanoseconds since 1970; empty: any state of the file will do
//		Once    bool   // a pipe or the like: it has no size, and can be read only once
//		CRC32C  uint32 // of the content of an object, polynomial of Castagnoli; 0: not known
//	}
type FileInfo = files.Info

// ObjectWriter writes an object, which becomes visible as a whole at Close, or not at all. Abort discards it, and does
// nothing after Close.
//
//	type ObjectWriter interface {
//		io.WriteCloser
//		Abort()
//	}
type ObjectWriter = files.Writer

// OpenFile opens a file to read it from its beginning to its end. It is an error if the file does not have the state of
// f, as far as f records it, when it is opened or when its end is read.
func OpenFile(ctx context.Context, f FileInfo) (io.ReadCloser, error) {
	return files.Open(ctx, f)
}

// Match reports whether the name of an object matches a pattern: "*" stands for any characters but
// "/", "**" for any characters.
func Match(pattern, name string) bool {
	return files.Match(pattern, name)
}

// CheckName returns an error that describes a fault in the form of a name and how to fix it. Names travel to workers
// as text, in which bytes that are not UTF-8 would be changed to name another file.
func CheckName(name string) error {
	return files.CheckName(name)
}
