package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/gs"
)

var ctx = context.Background()

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.csv", "a.csv", "[x].csv", "c.txt", "_m.csv"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "d.csv"), 0o700))
	for pattern, want := range map[string]string{"*.csv": "[x].csv a.csv b.csv", "[x].csv": "[x].csv", "a.csv": "a.csv", "z*": "", "_*": "_m.csv", "_m.csv": "_m.csv", "d.csv": "", "[": ""} {
		infos, err := files.Expand(ctx, filepath.Join(dir, pattern))
		paths := make([]string, len(infos))
		for i := range infos {
			paths[i] = filepath.Base(infos[i].Name)
		}
		got := strings.Join(paths, " ")
		must.Hold(t, got == want && (err == nil) == (want != ""), "%s: %q, %v; want %q", pattern, got, err, want)
	}
}

// The pattern that an error proposes is of the format that was asked for.
func TestExpandProposes(t *testing.T) {
	for name, want := range map[string]string{"none.parquet": "dir/*.parquet", "none": "dir/*.csv", "n.o/none": "dir/*.csv", "none.": "dir/*.csv", "[x].c*": "dir/*.csv"} {
		_, err := files.Expand(ctx, name)
		must.Hold(t, err != nil && err.Error() == name+": no such file; name a file, or a pattern such as "+want, "got %v, want %s", err, want)
	}
}

// TestExpandRefusesLinks: what is linked would be read twice, and its records count twice. A copy is another file.
func TestExpandRefusesLinks(t *testing.T) {
	for name, add := range map[string]func(old, new string) error{
		"symbolic link": os.Symlink,
		"hard link":     os.Link,
		"copy": func(old, new string) error {
			if err := os.WriteFile(new, []byte("x"), 0o600); err != nil {
				return err
			}
			s, err := os.Stat(old)
			if err != nil {
				return err
			}
			return os.Chtimes(new, s.ModTime(), s.ModTime())
		},
	} {
		dir := t.TempDir()
		old, linked := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
		put(t, old, "x")
		must.Do(t, add(old, linked))
		_, err := files.Expand(ctx, filepath.Join(dir, "*.csv"))
		refused := err != nil && strings.Contains(err.Error(), "a.csv and ") && strings.Contains(err.Error(), " count twice")
		must.Hold(t, refused == (name != "copy"), "%s: %v", name, err)
		infos, err := files.Expand(ctx, linked)
		must.Hold(t, err == nil && len(infos) == 1, "%s by its own name: %v", name, err)
		must.Do(t, os.Rename(linked, filepath.Join(dir, "_b.csv")))
		if infos, err := files.Expand(ctx, filepath.Join(dir, "*.csv")); err != nil || len(infos) != 1 {
			t.Errorf("%s that is no part of the table: %v", name, err)
		}
	}
}

func put(t *testing.T, path, content string) files.Info {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
	info := must.Value(files.Stat(ctx, path))(t)
	return info
}

// A file that has been looked at is read as it was then, or not at all.
func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	info := put(t, path, "before")
	r := must.Value(files.Open(ctx, info))(t)
	b, err := io.ReadAll(r)
	must.Need(t, errors.Join(err, r.Close()) == nil && string(b) == "before", "%q, %v", b, err)
	put(t, path, "after it")
	_, err = files.Open(ctx, info)
	_, _, errAt := files.OpenAt(ctx, info)
	for _, err := range []error{err, errAt} {
		must.Fail(t, err, "the file has changed since the run was planned")
	}
	b, err = files.ReadAll(ctx, path, 8)
	must.Hold(t, err == nil && bytes.Equal(b, []byte("after it")), "%q, %v", b, err)
	must.Fails(files.ReadAll(ctx, path, 7))(t, "", "a file larger than the limit was read")
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"a?b.csv": "", "gs://bucket/a*.csv": "", "gs://bucket": "", "gs://bucket/dir/": "",
		"s3://bucket/x": "s3:// are not known", "bq://p.d.t": "bq:// are not known", "gs://b/x": "is no bucket", "gs:///x": "is no bucket",
		"gs://bucket/a?b": "? # % [ ]", "gs://bucket/a#b": "? # % [ ]", "gs://bucket/a%20b": "? # % [ ]", "gs://bucket/[ab].csv": "? # % [ ]",
		"gs://bucket//x": "empty, . or ..", "gs://bucket/../x": "empty, . or ..", "gs://bucket/a\nb": "cannot be printed",
	} {
		err := files.CheckName(name)
		must.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%q: %v", name, err)
	}
	_, err := files.Stat(ctx, filepath.Join(t.TempDir(), "x"))
	must.Hold(t, errors.Is(err, fs.ErrNotExist), "%v", err)
	for _, tt := range [][3]string{
		{files.Join("gs://bucket/a/", "b", "c"), "gs://bucket/a/b/c"}, {files.Join("a/", "b"), "a/b"},
		{files.Clean("gs://bucket/a//"), "gs://bucket/a"}, {files.Clean("a//b/"), "a/b"}, {files.Base("gs://bucket/a/b"), "b"},
	} {
		must.Hold(t, tt[0] == tt[1], "%q, want %q", tt[0], tt[1])
	}
}

// Create takes no name twice, Replace any; nobody else can read what they write.
func TestCreateAndReplace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	must.Do(t, files.Create(ctx, name, []byte("first, long")))
	err := files.Create(ctx, name, nil)
	must.Hold(t, errors.Is(err, fs.ErrExist), "%v", err)
	must.Pass(t, files.Replace(ctx, name, []byte("second")))
	b, err := files.ReadAll(ctx, name, 100)
	must.Hold(t, string(b) == "second" && err == nil, "%q, %v", b, err)
	s, err := os.Stat(name)
	must.Hold(t, err == nil && s.Mode().Perm() == 0o600, "%v %v", s.Mode(), err)
	must.Fail(t, files.Create(ctx, "s3://bucket/f", nil), "", "a name of another service was taken")
}

// Bytes that are not UTF-8 would become others on their way to a worker, and name another file.
func TestNamesAreUTF8(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a\xff.csv", "a\uFFFD.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600); err != nil {
			t.Skipf("missing: a file system that takes any bytes for a name: %v", err)
		}
	}
	for _, pattern := range []string{"a\xff.csv", "a*.csv"} {
		list, err := files.Expand(t.Context(), filepath.Join(dir, pattern))
		must.Fail(t, err, "the name is not UTF-8; rename the file", "%q: %v", pattern, list)
	}
	list, err := files.Expand(t.Context(), filepath.Join(dir, "a\uFFFD.csv"))
	must.Hold(t, err == nil && len(list) == 1, "a name in UTF-8: %v, %v", list, err)
}

// A file that is appended to, or written over, while it is read is noticed at its end, and when ranges of it are
// closed; one that another takes the place of is read as it was.
func TestFileThatChangesWhileItIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	for name, tt := range map[string]struct {
		change  func() error
		noticed bool
	}{
		"nothing":  {func() error { return nil }, false},
		"appended": {func() error { return appendTo(path, "more") }, true},
		"touched":  {func() error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }, true},
		"replaced": {func() error {
			return errors.Join(os.WriteFile(path+"2", []byte("other"), 0o600), os.Rename(path+"2", path))
		}, false},
	} {
		must.Do(t, os.WriteFile(path, []byte("0123456789"), 0o600))
		info := must.Value(files.Stat(t.Context(), path))(t)
		whole := must.Value(files.Open(t.Context(), info))(t)
		ranges, _, err := files.OpenAt(t.Context(), info)
		must.Do(t, err)
		must.Value(io.ReadFull(whole, make([]byte, 5)))(t)
		must.Do(t, tt.change())
		_, err = io.ReadAll(whole)
		for how, err := range map[string]error{"read": err, "closed": ranges.Close()} {
			must.Hold(t, (err != nil) == tt.noticed && (err == nil || strings.Contains(err.Error(), "the file has changed since the run was planned")),
				"%s, %s: %v", name, how, err)
		}
		whole.Close()
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
