package spill

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// What a spill keeps comes back, cannot be read in the file, and is gone once it is closed.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	s := New(dir)
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Error("a file before anything was written")
	}
	texts, places := [][]byte{[]byte("a record of a person"), []byte("a record of a person"), {}, bytes.Repeat([]byte("x"), spillBuffer), bytes.Repeat([]byte("x"), 1<<16)}, [][]byte{}
	for _, text := range texts {
		where := must.Value(s.Put(bytes.Clone(text)))(t)
		places = append(places, where)
	}
	stored := make([]byte, s.end-int64(len(s.tail)))
	_, err := s.file.ReadAt(stored, 0)
	if stored = append(stored, s.tail...); err != nil || len(s.tail) != 1<<16 || bytes.Contains(stored, []byte("record")) || bytes.Contains(stored, []byte("xxxxxxxx")) ||
		bytes.Equal(stored[:len(texts[0])], stored[len(texts[0]):2*len(texts[0])]) {
		t.Errorf("records can be read in the file, or equal ones told (error %v)", err)
	}
	for i, where := range places {
		if got, err := s.Get(where); err != nil || !bytes.Equal(got, texts[i]) {
			t.Errorf("text %d came back different (error %v)", i, err)
		}
	}
	name := s.Name()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
	_, putErr := s.Put([]byte("late"))
	_, getErr := s.Get(places[0])
	if _, err := Of(name); err == nil || putErr == nil || getErr == nil {
		t.Error("a closed spill is used")
	}
	if _, err := New(filepath.Join(dir, "none")).Put([]byte("x")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("without a directory: %v", err)
	}
}

// Records are spilled some thousands a write, and come back wherever they wait.
func TestSpillWritesSeldom(t *testing.T) {
	s := New(t.TempDir())
	defer s.Close()
	var places [][]byte
	record := func(i int) []byte { return fmt.Appendf(nil, "record %d of a person with some columns", i) }
	calls, known := dptest.WriteCalls(func() {
		for i := range 20_000 {
			where := must.Value(s.Put(record(i)))(t)
			places = append(places, where)
		}
	})
	for i := 0; i < len(places); i += 7 {
		if got, err := s.Get(places[i]); err != nil || !bytes.Equal(got, record(i)) {
			t.Fatalf("record %d came back as %q, error %v", i, got, err)
		}
	}
	if t.Logf("figure: %d writes for %d records", calls, len(places)); known && calls > 50 {
		t.Errorf("%d writes for %d records", calls, len(places))
	}
}
