package files

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// System is a store of objects whose names begin with its scheme, such as gs://bucket/path. Each call either
// says what it did or may be repeated. Its errors begin with the name, hold fs.ErrNotExist, fs.ErrExist or
// fs.ErrPermission if they mean that, and say what to do; an absent bucket is not fs.ErrNotExist.
type System interface {
	// CheckName says what is wrong with the form of the name of an object, a directory or a pattern.
	CheckName(name string) error
	// Stat returns the state of an object.
	Stat(ctx context.Context, name string) (Info, error)
	// List returns the objects that a pattern matches, as Match has it, in order of name.
	List(ctx context.Context, pattern string) ([]Info, error)
	// Names returns what stands behind dir and a slash up to the next slash, each once, in order.
	Names(ctx context.Context, dir string) ([]string, error)
	// Open reads length bytes from offset, or all that follow if length is negative. If f has a Version it is of that one,
	// or fs.ErrNotExist.
	Open(ctx context.Context, f Info, offset, length int64) (io.ReadCloser, error)
	// Create begins an object of a name that is free. Close fails with fs.ErrExist if another content has taken it.
	Create(ctx context.Context, name string) (Writer, error)
	// Replace is Create for a name that may be taken.
	Replace(ctx context.Context, name string) (Writer, error)
	// Copy gives the content of one version to a name that still holds old; the zero Info means that it is free.
	// That it has that content already is no error; fs.ErrExist is in the error if it holds another.
	Copy(ctx context.Context, from Info, to string, old Info) error
	// Remove removes one version of an object; that it is gone already is no error.
	Remove(ctx context.Context, f Info) error
	// Close ends what the process keeps open. A later call opens it again.
	Close() error
}

// Writer writes an object: it is there as a whole after Close, or not at all. Abort gives it up, and does nothing
// after Close.
type Writer interface {
	io.WriteCloser
	Abort()
}

// systems holds the registered systems by scheme.
var systems = map[string]System{}

// Register makes names that begin with scheme:// those of s. Packages call it from an init function, so that
// importing one is all that a program does to use its scheme. It panics if the scheme is taken.
func Register(scheme string, s System) {
	if _, taken := systems[scheme]; taken || scheme == "" || s == nil {
		panic("files: a registration needs a scheme that is free, and a system")
	}
	systems[scheme] = s
}

// SystemOf returns the system that a name belongs to; nil for names of this machine and unknown schemes.
func SystemOf(name string) System { return systems[Scheme(name)] }

// Scheme returns what stands before :// in a name; empty for one of this machine.
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
	return nil, fmt.Errorf("%s: names that begin with %s:// are not known; name %s", name, Scheme(name), want)
}

// schemes lists what is registered, in order.
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
