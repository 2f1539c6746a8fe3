package private

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/transforms/internal/records"
	"github.com/dapple-dp/dapple/transforms/internal/sensitive"
)

// What a spill keeps comes back, cannot be read in the file, and is gone once it is closed.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	s := NewSpill(dir)
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Error("a file before anything was written")
	}
	texts, places := [][]byte{[]byte("a record of a person"), []byte("a record of a person"), {}, bytes.Repeat([]byte("x"), spillBuffer), bytes.Repeat([]byte("x"), 1<<16)}, [][]byte{}
	for _, text := range texts {
		where, err := s.put(bytes.Clone(text))
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, where)
	}
	stored := make([]byte, s.end-int64(len(s.tail)))
	_, err := s.file.ReadAt(stored, 0)
	if stored = append(stored, s.tail...); err != nil || len(s.tail) != 1<<16 || bytes.Contains(stored, []byte("record")) || bytes.Contains(stored, []byte("xxxxxxxx")) ||
		bytes.Equal(stored[:len(texts[0])], stored[len(texts[0]):2*len(texts[0])]) {
		t.Errorf("records can be read in the file, or equal ones told (error %v)", err)
	}
	for i, where := range places {
		if got, err := s.get(where); err != nil || !bytes.Equal(got, texts[i]) {
			t.Errorf("text %d came back different (error %v)", i, err)
		}
	}
	name := s.name()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
	_, putErr := s.put([]byte("late"))
	_, getErr := s.get(places[0])
	if _, err := spillOf(name); err == nil || putErr == nil || getErr == nil {
		t.Error("a closed spill is used")
	}
	if _, err := NewSpill(filepath.Join(dir, "none")).put([]byte("x")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("without a directory: %v", err)
	}
}

// Records are spilled some thousands a write, and come back wherever they wait.
func TestSpillWritesSeldom(t *testing.T) {
	s := NewSpill(t.TempDir())
	defer s.Close()
	var places [][]byte
	record := func(i int) []byte { return fmt.Appendf(nil, "record %d of a person with some columns", i) }
	calls, known := dptest.WriteCalls(func() {
		for i := range 20_000 {
			where, err := s.put(record(i))
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, where)
		}
	})
	for i := 0; i < len(places); i += 7 {
		if got, err := s.get(places[i]); err != nil || !bytes.Equal(got, record(i)) {
			t.Fatalf("record %d came back as %q, error %v", i, got, err)
		}
	}
	if t.Logf("figure: %d writes for %d records", calls, len(places)); known && calls > 50 {
		t.Errorf("%d writes for %d records", calls, len(places))
	}
}

// A bundle that passes on more than its runner takes ends the run in words, on which a job of prism would hang; with a
// spill the same records pass, as only their places travel.
func TestBoundStopsAtMaxBundle(t *testing.T) {
	var rows [][]string
	var ids []string
	for i := range 2000 {
		rows, ids = append(rows, []string{"F", "30", "true", "1", "2020-01-15"}), append(ids, "person "+strings.Repeat("x", i))
	}
	spill := NewSpill(t.TempDir())
	defer spill.Close()
	for name, c := range map[string]struct {
		p     BoundParams
		fails bool
	}{
		"above the limit": {BoundParams{MaxBundle: 1 << 20}, true},
		"below the limit": {BoundParams{MaxBundle: 4 << 20}, false},
		"no limit":        {BoundParams{MaxBundle: -1}, false},
		"spill":           {BoundParams{MaxBundle: 1, Spill: spill}, false},
	} {
		p, s := beam.NewPipelineWithRoot()
		col := transformtest.Create(s, transformtest.Chunk(rows, ids))
		units := Bound(s, Encode(s, col, people(), EncodeParams{}), c.p)
		got := transformtest.Capture[*records.Batch](s, sensitive.Reveal(units.Collection()))
		err := transformtest.RunOn("prism", p)
		if c.fails && (err == nil || !strings.Contains(err.Error(), "nothing was drawn")) || !c.fails && err != nil {
			t.Errorf("%s: error %v", name, err)
		}
		n := 0
		for _, b := range got.Elements() {
			n += b.N
		}
		if !c.fails && n != len(ids) || c.fails && n != 0 {
			t.Errorf("%s: %d units of %d", name, n, len(ids))
		}
	}
}
