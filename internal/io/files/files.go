package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Info is the state of a file when it was found. It is plain data, and public.
type Info struct {
	Name    string // a local path, or one of a registered scheme, such as gs://bucket/path
	Size    int64  // bytes
	Version string // changes with the content: a generation, a tag, or nanoseconds since 1970; empty: any state of the file will do
	Once    bool   // a pipe or the like: it has no size, and can be read only once
	CRC32C  uint32 // of the content of an object, polynomial of Castagnoli; 0: not known
}

// Remote reports whether a name is not a path on this machine.
func Remote(name string) bool { return strings.Contains(name, "://") }

// CheckName returns an error that describes a fault in the form of a name and how to fix it. Names travel to workers
// as text, in which bytes that are not UTF-8 would be changed to name another file.
func CheckName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("%q: the name is not UTF-8; rename the file, or link to it under another name", name)
	}
	if Remote(name) {
		s, err := system(name)
		if err != nil {
			return err
		}
		return s.CheckName(name)
	}
	return nil
}

// Join puts path elements behind a name.
func Join(dir string, elements ...string) string {
	if Remote(dir) {
		return strings.TrimSuffix(dir, "/") + "/" + path.Join(elements...)
	}
	return filepath.Join(append([]string{dir}, elements...)...)
}

// Clean returns the canonical form of the name of a directory.
func Clean(dir string) string {
	if Remote(dir) {
		return strings.TrimRight(dir, "/")
	}
	return filepath.Clean(dir)
}

// Base returns the part after the last separator.
func Base(name string) string {
	if Remote(name) {
		return name[strings.LastIndex(name, "/")+1:]
	}
	return filepath.Base(name)
}

// Dir returns the directory that a name is in.
func Dir(name string) string {
	if Remote(name) {
		return strings.TrimSuffix(strings.TrimSuffix(name, Base(name)), "/")
	}
	return filepath.Dir(name)
}

// Stat returns the state of a file. The error wraps fs.ErrNotExist if the file is absent.
func Stat(ctx context.Context, name string) (Info, error) {
	if err := CheckName(name); err != nil {
		return Info{}, err
	}
	if Remote(name) {
		return SystemOf(name).Stat(ctx, name)
	}
	s, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	if s.IsDir() {
		return Info{}, fmt.Errorf("%s is a directory", name)
	}
	return localInfo(name, s), nil
}

func localInfo(name string, s fs.FileInfo) Info {
	if !s.Mode().IsRegular() {
		return Info{Name: name, Once: true}
	}
	return Info{Name: name, Size: s.Size(), Version: strconv.FormatInt(s.ModTime().UnixNano(), 10)}
}

// IsDir reports whether a name belongs to a directory. A store of objects has no directories: there it is a name with
// objects below it that is not itself an object.
func IsDir(ctx context.Context, name string) (bool, error) {
	if err := CheckName(name); err != nil {
		return false, err
	}
	if !Remote(name) {
		s, err := os.Stat(name)
		return err == nil && s.IsDir(), nil
	}
	if strings.Contains(name, "*") {
		return false, nil
	}
	if !strings.HasSuffix(name, "/") {
		if _, err := SystemOf(name).Stat(ctx, name); !IsBucket(name) && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	names, err := SystemOf(name).Names(ctx, name)
	return len(names) > 0, err
}

// IsBucket reports whether a name is a remote bucket alone.
func IsBucket(name string) bool {
	_, rest, _ := strings.Cut(name, "://")
	_, path, _ := strings.Cut(rest, "/")
	return Remote(name) && path == ""
}

// Names lists a directory, in order. A missing directory is empty.
func Names(ctx context.Context, dir string) ([]string, error) {
	if Remote(dir) {
		s, err := system(dir)
		if err != nil {
			return nil, err
		}
		return s.Names(ctx, dir)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return lists.Of(entries, func(e os.DirEntry) string { return e.Name() }), err
}

// Expand returns the files that match a pattern, in order of name. A local pattern has the syntax of path/filepath,
// and a path that exists matches itself, whatever its characters. Elsewhere "*" matches any characters but "/", and
// "**" any characters. Names that begin with "_" describe a table and are not part of it: only a pattern that begins
// so matches them. It is an error if no file matches, and if two local names are one file, whose records would count
// twice.
func Expand(ctx context.Context, pattern string) ([]Info, error) {
	if err := CheckName(pattern); err != nil {
		return nil, err
	}
	expand := expandLocal
	if Remote(pattern) {
		expand = func(pattern string) ([]Info, error) { return expandRemote(ctx, pattern) }
	}
	infos, err := expand(pattern)
	if err != nil {
		return nil, err
	}
	for _, f := range infos {
		if err := CheckName(f.Name); err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(Base(pattern), "_") {
		infos = slices.DeleteFunc(infos, func(f Info) bool { return strings.HasPrefix(Base(f.Name), "_") && f.Name != pattern })
	}
	if len(infos) == 0 {
		return nil, fmt.Errorf("%s: no such file; name a file, or a pattern such as %s", pattern, Join(exampleDir(pattern), "*"+cmp.Or(example(pattern), ".csv")))
	}
	if err := checkLinks(infos); err != nil {
		return nil, err
	}
	return infos, nil
}

// example is the extension in a name, if it can be part of a pattern.
func example(name string) string {
	if ext := path.Ext(name); strings.Trim(ext[min(1, len(ext)):], "abcdefghijklmnopqrstuvwxyz") == "" && len(ext) > 1 {
		return ext
	}
	return ""
}

func exampleDir(pattern string) string {
	if Remote(pattern) {
		return Scheme(pattern) + "://bucket/dir"
	}
	return "dir"
}

func expandLocal(pattern string) ([]Info, error) {
	if s, err := os.Stat(pattern); err == nil && !s.IsDir() {
		return []Info{localInfo(pattern, s)}, nil
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	var infos []Info
	for _, p := range paths {
		s, err := os.Stat(p)
		switch {
		case err != nil:
			return nil, err // a link to nowhere
		case !s.IsDir():
			infos = append(infos, localInfo(p, s))
		}
	}
	return infos, nil
}

// checkLinks refuses several local names of one file. Only files of one size and time are compared.
func checkLinks(infos []Info) error {
	type link struct {
		name string
		file fs.FileInfo
	}
	if len(infos) == 1 || Remote(infos[0].Name) {
		return nil
	}
	alike := map[Info][]link{} // by size and time
	for _, f := range infos {
		s, err := os.Stat(f.Name)
		if err != nil {
			return err
		}
		key := Info{Size: f.Size, Version: f.Version}
		for _, other := range alike[key] {
			if os.SameFile(other.file, s) {
				return fmt.Errorf("%s and %s are one file, whose records would count twice; use a pattern that matches one of them", other.name, f.Name)
			}
		}
		alike[key] = append(alike[key], link{f.Name, s})
	}
	return nil
}

func expandRemote(ctx context.Context, pattern string) ([]Info, error) {
	if strings.Contains(pattern, "*") {
		return SystemOf(pattern).List(ctx, pattern)
	}
	f, err := SystemOf(pattern).Stat(ctx, pattern)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []Info{f}, err
}

// ReadAll returns the content of a file of at most limit bytes.
func ReadAll(ctx context.Context, name string, limit int64) (b []byte, err error) {
	f, err := Open(ctx, Info{Name: name})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes; is it the right file?", name, limit)
	}
	return b, err
}

// ReadStart returns the first limit bytes of a file, or all of them if there are fewer.
func ReadStart(ctx context.Context, name string, limit int64) (b []byte, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the transfer of an object
	f, err := Open(ctx, Info{Name: name})
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	return io.ReadAll(io.LimitReader(f, limit))
}

// Close closes all connections to remote files. Later calls open them again.
func Close() (err error) {
	for _, s := range systems {
		err = errors.Join(err, s.Close())
	}
	return err
}

// RemoveAll removes a directory and everything in it, if it exists.
func RemoveAll(ctx context.Context, dir string) error {
	if !Remote(dir) {
		return os.RemoveAll(dir)
	}
	s, err := system(dir)
	if err != nil {
		return err
	}
	objects, err := s.List(ctx, Join(dir, "**"))
	errs := make([]error, len(objects))
	const at = 16 // a time, since there may be thousands
	var all sync.WaitGroup
	for first := range at {
		all.Go(func() {
			for i := first; i < len(objects); i += at {
				errs[i] = s.Remove(ctx, objects[i])
			}
		})
	}
	all.Wait()
	return errors.Join(append(errs, err)...)
}
