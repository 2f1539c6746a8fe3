package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// directory is a store.
type directory string

func (d directory) Get(_ context.Context, name string) ([]byte, bool, error) {
	b, err := os.ReadFile(filepath.Join(string(d), name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	return b, err == nil, err
}

func (d directory) CreateIfAbsent(_ context.Context, name string, data []byte) ([]byte, bool, error) {
	path := filepath.Join(string(d), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	return data, true, os.WriteFile(path, data, 0o600)
}

func init() {
	Stores.Register("directory", func(config string) (Store, error) { return directory(config), nil })
}

// heldIn returns all that a store holds, by its names.
func heldIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, path := range must.Value(filepath.Glob(filepath.Join(dir, "run.parts", "*")))(t) {
		all[path] = must.Value(os.ReadFile(path))(t)
	}
	return all
}

var texts = [][]byte{[]byte("a record of a person"), []byte("a record of a person"), {}, bytes.Repeat([]byte("x"), spillBuffer), bytes.Repeat([]byte("x"), 1<<16)}

// What is carried comes back, wherever it waits. It cannot be read there, and equal texts cannot be told. What travels has none of
// them, unless the runner carries it.
func TestCarry(t *testing.T) {
	spill, dir := New(t.TempDir()), t.TempDir()
	defer spill.Close()
	for name, at := range map[string]Ref{"runner": {}, "spill": spill.Ref(), "store": {Kind: "directory", Config: dir}} {
		c, places := Carrier{At: at, Dir: "run.parts"}, [][]byte{}
		for _, text := range texts {
			places = append(places, must.Value(c.Put(t.Context(), bytes.Clone(text)))(t))
		}
		for i, place := range places {
			must.Hold(t, name == "runner" || !bytes.Contains(place, []byte("record")) && len(place) <= 100, "%s: text %d travels", name, i)
			got, err := c.Get(t.Context(), place)
			must.Hold(t, err == nil && bytes.Equal(got, texts[i]), "%s: text %d came back different (error %v)", name, i, err)
		}
	}
	kept := make([]byte, spill.end-int64(len(spill.tail)))
	must.Value(spill.file.ReadAt(kept, 0))(t)
	kept = append(kept, spill.tail...)
	seen := map[string]bool{}
	for _, b := range append([][]byte{kept[:36], kept[36:72], kept}, values(heldIn(t, dir))...) {
		must.Hold(t, !bytes.Contains(b, []byte("record")) && !bytes.Contains(b, []byte("xxxxxxxx")) && !seen[string(b)],
			"texts can be read where they wait, or equal ones told")
		seen[string(b)] = true
	}
	must.Hold(t, len(seen) == 3+len(texts), "%d texts are seen", len(seen))
}

func values(all map[string][]byte) (list [][]byte) {
	for _, b := range all {
		list = append(list, b)
	}
	return list
}

// What is not there, has changed, or is another text is an error that says nothing of it.
func TestAltered(t *testing.T) {
	for name, spoil := range map[string]func(first, second string) error{
		"missing": func(first, _ string) error { return os.Remove(first) },
		"changed": func(first, _ string) error {
			b, err := os.ReadFile(first)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 1
			return os.WriteFile(first, b, 0o600)
		},
		"short":   func(first, _ string) error { return os.Truncate(first, 3) },
		"another": func(first, second string) error { return os.Rename(second, first) },
	} {
		dir := t.TempDir()
		c := Carrier{At: Ref{Kind: "directory", Config: dir}, Dir: "run.parts"}
		one := must.Value(c.Put(t.Context(), []byte("one")))(t)
		two := must.Value(c.Put(t.Context(), []byte("two")))(t)
		must.Do(t, spoil(filepath.Join(dir, string(one[keySize:])), filepath.Join(dir, string(two[keySize:]))))
		_, err := c.Get(t.Context(), one)
		must.Hold(t, errors.Is(err, errAltered), "%s: %v", name, err)
	}
	spill := New(t.TempDir())
	defer spill.Close()
	c := Carrier{At: spill.Ref()}
	one := must.Value(c.Put(t.Context(), []byte("one")))(t)
	for _, place := range [][]byte{nil, one[:keySize-1], one[:keySize], append(bytes.Clone(one[:keySize]), 0xff, 0xff, 0xff, 0x7f, 1), append(bytes.Clone(one[:keySize]), 0, 3)} {
		must.Fails(c.Get(t.Context(), place))(t, "", "%v is a place", place)
	}
	for _, at := range []Ref{{Kind: "directory", Config: filepath.Join(t.TempDir(), "\x00")}, {Kind: "nowhere"}, {Kind: spillKind, Config: "gone"}} {
		must.Fails((Carrier{At: at}).Put(t.Context(), []byte("x")))(t, "", "%v: a text is kept", at)
	}
}

// A spill is gone once it is closed.
func TestSpillEnds(t *testing.T) {
	dir := t.TempDir()
	s := New(dir)
	c := Carrier{At: s.Ref()}
	files, _ := os.ReadDir(dir)
	must.Hold(t, len(files) == 0, "a file before anything was written")
	place := must.Value(c.Put(t.Context(), []byte("x")))(t)
	for range 2 {
		must.Pass(t, s.Close())
	}
	files, _ = os.ReadDir(dir)
	must.Hold(t, len(files) == 0, "%d files are left", len(files))
	_, putErr := c.Put(t.Context(), []byte("late"))
	_, getErr := c.Get(t.Context(), place)
	_, late := s.put(t.Context(), []byte("late"))
	must.Hold(t, putErr != nil && getErr != nil && late != nil, "a closed spill is used")
	none := New(filepath.Join(dir, "none"))
	defer none.Close()
	_, err := (Carrier{At: none.Ref()}).Put(t.Context(), []byte("x"))
	must.Hold(t, errors.Is(err, os.ErrNotExist) && strings.Contains(err.Error(), "TMPDIR"), "without a directory: %v", err)
	must.Hold(t, (*Spill)(nil).Ref() == (Ref{}), "no spill has a reference")
}

// Records are spilled some thousands a write, and come back wherever they wait.
func TestSpillWritesSeldom(t *testing.T) {
	s := New(t.TempDir())
	defer s.Close()
	c, places := Carrier{At: s.Ref()}, [][]byte{}
	record := func(i int) []byte { return fmt.Appendf(nil, "record %d of a person with some columns", i) }
	calls, known := dptest.WriteCalls(func() {
		for i := range 20_000 {
			places = append(places, must.Value(c.Put(t.Context(), record(i)))(t))
		}
	})
	for i := 0; i < len(places); i += 7 {
		got, err := c.Get(t.Context(), places[i])
		must.Need(t, err == nil && bytes.Equal(got, record(i)), "record %d came back as %q, error %v", i, got, err)
	}
	t.Logf("figure: %d writes for %d records", calls, len(places))
	must.Hold(t, !known || calls <= 50, "%d writes for %d records", calls, len(places))
}

// TestStoresAreOfOneName: a name that is taken, none, and no function are refused.
func TestStoresAreOfOneName(t *testing.T) {
	open := func(string) (Store, error) { return nil, nil }
	for _, tt := range []struct {
		kind string
		open func(string) (Store, error)
	}{{"directory", open}, {"", open}, {"none", nil}} {
		func() {
			defer func() {
				must.Hold(t, recover() != nil, "%q is registered", tt.kind)
			}()
			r := Registry[Store]{What: "store"}
			r.Register("directory", open)
			r.Register(tt.kind, tt.open)
		}()
	}
}
