package files

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// System is a store of objects whose names begin with its scheme, such as gs://bucket/path. A call either reports
// what it did or may be repeated. Errors begin with the name, wrap fs.ErrNotExist, fs.ErrExist or fs.ErrPermission if
// they apply, and say what to do; a missing bucket is not fs.ErrNotExist.
type System interface {
	// CheckName returns the fault in the form of the name of an object, a directory or a pattern.
	CheckName(name string) error
	// Stat returns the state of an object.
	Stat(ctx context.Context, name string) (Info, error)
	// List returns the objects that match a pattern (see Match), in order of name.
	List(ctx context.Context, pattern string) ([]Info, error)
	// Names returns the names in dir: the parts of names between dir and a slash and the next slash, each once, in
	// order.
	Names(ctx context.Context, dir string) ([]string, error)
	// Open reads length bytes from offset, or to the end if length is negative. If f has a Version it reads that
	// version, or returns fs.ErrNotExist.
	Open(ctx context.Context, f Info, offset, length int64) (io.ReadCloser, error)
	// Create begins an object with an unused name. Close fails with fs.ErrExist if the name now has other content.
	Create(ctx context.Context, name string) (Writer, error)
	// Replace is Create for a name that may be in use.
	Replace(ctx context.Context, name string) (Writer, error)
	// Copy gives the content of one version to a name that still has the state old; the zero Info means an unused
	// name. If the name has that content already, it succeeds; if it has other content, the error wraps fs.ErrExist.
	Copy(ctx context.Context, from Info, to string, old Info) error
	// Remove removes one version of an object. It succeeds if the version is gone already.
	Remove(ctx context.Context, f Info) error
	// Close closes all connections. A later call opens them again.
	Close() error
}

// Writer writes an object, which becomes visible as a whole at Close, or not at all. Abort discards it, and does
// nothing after Close.
type Writer interface {
	io.WriteCloser
	Abort()
}

// systems holds the registered systems by scheme.
var systems = map[string]System{}

// Register assigns names that begin with scheme:// to s. Packages call it from an init function, so that a program
// imports a package to use its scheme. It panics if the scheme is taken.
func Register(scheme string, s System) {
	if _, taken := systems[scheme]; taken || scheme == "" || s == nil {
		panic("files: a registration needs a scheme that is free, and a system")
	}
	systems[scheme] = s
}

// SystemOf returns the system that a name belongs to; nil for names of this machine and unknown schemes.
func SystemOf(name string) System { return systems[Scheme(name)] }

// Scheme returns the part before :// in a name; it is empty for a name of this machine.
func Scheme(name string) string {
	scheme, _, remote := strings.Cut(name, "://")
	if !remote {
		return ""
	}
	return scheme
}

// system is SystemOf with an error for schemes that nobody has registered.
func system(name string) (System, error) {
	if s := SystemOf(name); s != nil {
		return s, nil
	}
	want := "a local path"
	for _, scheme := range schemes() {
		want += ", or " + scheme + "://bucket/path"
	}
	if scheme := Scheme(name); scheme == "gs" || scheme == "s3" {
		want += fmt.Sprintf(", or import _ \"github.com/dapple-dp/dapple/io/%s\"", scheme)
	}
	return nil, fmt.Errorf("%s: names that begin with %s:// are not known; name %s", name, Scheme(name), want)
}

// schemes lists the registered schemes, in order.
func schemes() (list []string) {
	for scheme := range systems {
		list = append(list, scheme)
	}
	slices.Sort(list)
	return list
}

// Match reports whether the name of an object matches a pattern: "*" stands for any characters but
// "/", "**" for any characters.
func Match(pattern, name string) bool {
	for pattern != "" {
		if pattern[0] != '*' {
			if name == "" || name[0] != pattern[0] {
				return false
			}
			pattern, name = pattern[1:], name[1:]
			continue
		}
		rest := strings.TrimLeft(pattern, "*")
		crosses := len(pattern)-len(rest) > 1
		for i := 0; ; i++ {
			if Match(rest, name[i:]) {
				return true
			}
			if i == len(name) || name[i] == '/' && !crosses {
				return false
			}
		}
	}
	return name == ""
}
