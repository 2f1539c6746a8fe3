package dirsink

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/rename"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Two tables are one output: wherever its publication is cut off there is no manifest or the old output as a whole, and
// a repetition makes it whole; nothing of an output of one table is left among them, nor of them in one of one table.
func TestTablesFailAtEveryStep(t *testing.T) {
	for _, on := range kinds {
		for _, tables := range []bool{true, false} {
			for k, more := 1, true; more; k++ {
				d := on.dir(t)
				old := d
				old.RunID, old.Shards, old.Extension, old.Tables = "old", 2, "parquet", !tables
				must.Value(old.Publish(ctx, stage(t, old), releasedFiles("old"), nil))(t)
				d.RunID, d.Shards, d.Extension, d.Overwrite, d.Tables = "new", 4, "csv", true, tables
				refs, n := stage(t, d), k
				_, err := on.failing(d, &n, false, true).Publish(ctx, refs, releasedFiles("new"), nil)
				if m, readErr := open(ctx, d); err == nil && (readErr != nil || m.RunID != "new") || readErr == nil && verify(d) != nil {
					t.Fatalf("%s: operation %d: %v, %v, %v", on.name, k, err, m, readErr)
				}
				m, err := d.Publish(ctx, refs, releasedFiles("new"), nil)
				if err != nil || verify(d) != nil || len(m.Parts) != 4 {
					t.Fatalf("%s: operation %d: the repetition: %v, %v", on.name, k, err, verify(d))
				}
				want := map[bool]int64{true: 1 + 2}[tables]
				must.Need(t, m.People == want && m.Rows+m.People == 1+2+3+4, "%d rows and %d people", m.Rows, m.People)
				names, err := d.in(ctx).List(d.Path)
				must.Need(t, err == nil && tables == slices.Equal(names, []string{"events", "people"}), "%s: operation %d: %v, %v", on.name, k, names, err)
				more = n <= 0
			}
		}
	}
}

// Without both halves nothing is published, and both tables are there at once.
func TestTablesOrNone(t *testing.T) {
	d := Dir{Path: filepath.Join(quickDir(t), "out"), RunID: "r", Shards: 3, Extension: "csv", Tables: true}
	must.Hold(t, d.Validate() != nil, "3 shards of two tables are accepted")
	d.Shards = 4
	refs := stage(t, d)
	must.Fails(d.Publish(ctx, refs[:3], nil, nil))(t, "", "three of four parts are published")
	for n := 1; n < 60; n++ {
		left, cut := n, d
		cut.Disk = faulty{Disk: rename.Disk, n: &left, dead: true}
		_, cutErr := cut.Publish(ctx, refs, nil, nil)
		_, err := Open(ctx, d.Path)
		if names, _ := rename.Disk.List(d.Path); err != nil && len(names) > 0 || err == nil && !slices.Equal(names, []string{"events", "people"}) {
			t.Fatalf("operation %d: %v is in the directory of the rows; %v, %v", n, names, cutErr, err)
		}
	}
}

// A file in the directory of a table that the run did not write is found, and a part of it that has gone.
func TestTablesVerify(t *testing.T) {
	d := Dir{Path: filepath.Join(t.TempDir(), "out"), RunID: "r", Shards: 2, Extension: "csv", Tables: true}
	must.Value(d.Publish(ctx, stage(t, d), nil, nil))(t)
	o, err := Open(ctx, d.Path)
	must.Need(t, err == nil && o.Verify(ctx) == nil, "%v, %v", err, o)
	strange := d.in(ctx).At("people/notes.csv")
	if _, err := d.in(ctx).Write(strange, Content("", []byte("x")).Write); err != nil || o.Verify(ctx) == nil {
		t.Error("a strange file is accepted", err)
	}
	must.Do(t, errors.Join(rename.Disk.Remove(strange), rename.Disk.Remove(d.in(ctx).At("events/part-00000-of-00001.csv"))))
	err = o.Verify(ctx)
	must.Hold(t, err != nil && !errors.Is(err, fs.ErrNotExist), "a part has gone: %v", err)
}
