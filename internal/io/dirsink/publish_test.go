package dirsink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/rename"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var ctx = context.Background()

// content is what shard i of a run holds.
func content(run string, i int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%s row %d\n", run, i), i+1))
}

// stage writes all parts of d.
func stage(t testing.TB, d Dir) []FileRef {
	t.Helper()
	refs := make([]FileRef, d.Shards)
	for i := range refs {
		p, err := d.Create(ctx, i)
		must.Do(t, err)
		must.Value(p.Write(content(d.RunID, i)))(t)
		refs[i], err = p.Commit(int64(i + 1))
		must.Do(t, err)
		err = p.Abort()
		must.Hold(t, err == nil, "Abort after Commit: %v", err)
	}
	slices.Reverse(refs) // any order will do
	return refs
}

func releasedFiles(run string) []Released {
	return []Released{Content("_privacy.json", []byte(run)), Content("_report.html", []byte("<p>"+run))}
}

// finished fails unless the directory holds exactly the output of run.
func finished(t testing.TB, d Dir) {
	t.Helper()
	m := must.Value(d.in(ctx).Manifest())(t)
	must.Do(t, verify(d))
	must.Need(t, len(m.Parts) == d.Shards && m.RunID == d.RunID && m.Rows == int64(d.Shards*(d.Shards+1)/2), "%v", m)
	for i, p := range m.Parts {
		b, err := d.in(ctx).ReadFile(d.in(ctx).At(p.Name))
		must.Need(t, err == nil && bytes.Equal(b, content(d.RunID, i)), "%v, %v", p, err)
	}
	rows, others, err := d.in(ctx).Names()
	must.Do(t, err)
	var parts []string
	for i := range d.Shards {
		parts = append(parts, d.in(ctx).PartName(i))
	}
	want := []string{"_manifest.json", "_privacy.json", "_report.html"}
	must.Need(t, slices.Equal(rows, parts) && slices.Equal(others, want), "got %v and %v, want %v and %v", rows, others, parts, want)
}

// verify reads all files that the manifest names.
func verify(d Dir) error {
	o, err := open(ctx, d)
	if err != nil {
		return err
	}
	return o.Verify(ctx)
}

func TestPublish(t *testing.T) {
	d := Dir{Path: filepath.Join(t.TempDir(), "deep", "out"), RunID: "run-1", Shards: 3, Extension: "parquet"}
	must.Do(t, d.Prepare(ctx))
	refs := stage(t, d)
	if _, err := Open(ctx, d.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("unfinished output has a manifest:", err)
	}
	m := must.Value(d.Publish(ctx, refs, releasedFiles(d.RunID), map[string]string{"age": "INT64"}))(t)
	finished(t, d)
	must.Hold(t, string(m.Schema) == `{"age":"INT64"}`, "schema %s", m.Schema)
	for range 2 { // repeated, with the staged parts gone, changes nothing
		again, err := d.Publish(ctx, refs, releasedFiles("other"), nil)
		must.Need(t, err == nil && again.Rows == m.Rows, "%v", err)
		finished(t, d)
	}
	err := d.Check(ctx)
	must.Hold(t, err == nil, "a run does not find its own output free: %v", err)
}

func TestReleasedOnly(t *testing.T) {
	d := Dir{Release: t.TempDir(), RunID: "r"}
	must.Value(d.Publish(ctx, nil, releasedFiles("r"), nil))(t)
	finished(t, d)
}

func TestRefusals(t *testing.T) {
	put := func(names ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			for _, n := range names {
				if strings.HasPrefix(n, "_") {
					n = filepath.Join("..", filepath.Base(dir)+".release", n)
				}
				must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, n)), 0o700))
				must.Do(t, os.WriteFile(filepath.Join(dir, n), []byte("foreign"), 0o600))
			}
		}
	}
	earlier := func(t *testing.T, dir string) {
		d := Dir{Path: dir, RunID: "old", Shards: 1, Extension: "parquet"}
		must.Value(d.Publish(ctx, stage(t, d), nil, nil))(t)
	}
	for _, tc := range []struct {
		name      string
		before    func(t *testing.T, dir string)
		overwrite bool
		want      string // "" means that it goes through
	}{
		{"empty", put(), false, ""},
		{"foreign file", put("notes.txt"), false, "is not empty and has no manifest; set overwrite, or choose another directory"},
		{"foreign part", put("part-00000-of-00002.parquet"), false, "is not empty and has no manifest: it holds part of an output whose run was cut off; set overwrite, or choose another directory"},
		{"hidden file", put(".x.parquet"), false, "is not empty"},
		{"released file", put("_privacy.json"), false, "is not empty"},
		{"foreign file beside", put("_/x"), false, "is not empty"},
		{"earlier output", earlier, false, "it holds the output of an earlier run; set overwrite, or choose another directory"},
		{"foreign file, overwrite", put("notes.txt"), true, `holds "notes.txt", which dapple did not write; move it away`},
		{"foreign part, overwrite", put("part-00000-of-00002.parquet", "part-7.csv"), true, ""},
		{"what is not rows, overwrite", put("../001/_privacy.json"), true, `holds "_privacy.json", which dapple did not write; move it away`},
		{"earlier output, overwrite", earlier, true, ""},
		{"broken manifest, overwrite", put("_manifest.json"), true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := Dir{Path: t.TempDir(), RunID: "new", Shards: 2, Extension: "parquet", Overwrite: tc.overwrite}
			tc.before(t, d.Path)
			before, beforeBeside, _ := d.in(ctx).Names()
			check := d.Check(ctx)
			_, err := d.Publish(ctx, stage(t, d), releasedFiles("new"), nil)
			must.Hold(t, (check == nil) == (err == nil), "Check says %v, Publish %v", check, err)
			if tc.want == "" {
				must.Do(t, err)
				finished(t, d)
				return
			}
			must.Hold(t, err != nil && strings.Contains(err.Error(), tc.want) && strings.HasPrefix(err.Error(), "sink: "+d.Path), "got %v, want %s", err, tc.want)
			after, afterBeside, _ := d.in(ctx).Names()
			afterBeside = slices.DeleteFunc(afterBeside, func(n string) bool { return n == layout.TempName })
			must.Hold(t, slices.Equal(before, after) && slices.Equal(beforeBeside, afterBeside),
				"a refused run changed %v and %v to %v and %v", before, beforeBeside, after, afterBeside)
		})
	}
}

func TestWrongArguments(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 2, Extension: "parquet"}
	refs := stage(t, d)
	for name, tc := range map[string]struct {
		refs  []FileRef
		files []Released
		want  string
	}{
		"missing":      {refs[:1], nil, "1 of 2 shards came"},
		"twice":        {[]FileRef{refs[0], refs[0]}, nil, "came twice"},
		"no checksum":  {[]FileRef{refs[0], {Shard: refs[1].Shard, URI: refs[1].URI, Bytes: 1}}, nil, "a checksum that no file has"},
		"beyond":       {[]FileRef{refs[0], {Shard: 2}}, nil, "does not exist"},
		"no name":      {refs, []Released{{}}, "names that begin with _"},
		"not _":        {refs, []Released{{Name: "report.html"}}, "names that begin with _"},
		"path":         {refs, []Released{{Name: "_a/../../b"}}, "names that begin with _"},
		"manifest":     {refs, []Released{{Name: "_manifest.json"}}, "names that begin with _"},
		"same twice":   {refs, append(releasedFiles(""), releasedFiles("")...), "different names"},
		"cut part":     {[]FileRef{refs[0], {Shard: refs[1].Shard, URI: refs[1].URI, Bytes: 1, SHA256: refs[1].SHA256}}, nil, "another size than was written"},
		"missing part": {[]FileRef{refs[0], {Shard: refs[1].Shard, URI: "gone", SHA256: refs[1].SHA256}}, nil, "is gone"},
	} {
		must.Fails(d.Publish(ctx, tc.refs, tc.files, nil))(t, tc.want, "%s", name)
	}
	bad := Dir{RunID: "../x", Shards: -1}
	err := bad.Check(ctx)
	must.Hold(t, err != nil && strings.Count(err.Error(), "\n") == 2, "%v", err)
	must.Fails(d.Create(ctx, 2))(t, "", "a shard beyond the last was begun")
	must.Fail(t, (Dir{Path: "x", RunID: "r", Shards: 1, Extension: "a/b"}).Validate(), "", "an extension with a slash")
}

// Attempts of one run at the same time, each with its own copies of the parts, all succeed.
func TestConcurrentAttempts(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 3, Extension: "parquet"}
	var attempts [8][]FileRef
	for i := range attempts {
		attempts[i] = stage(t, d)
	}
	var wg sync.WaitGroup
	for _, refs := range attempts {
		wg.Go(func() {
			must.Passes(d.Publish(ctx, refs, releasedFiles("r"), nil))(t)
		})
	}
	wg.Wait()
	finished(t, d)
}

// An attempt succeeds if another one publishes, and removes the directory of the run, after it has made that and before it locks it.
func TestAttemptBeforeTheLock(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 3, Extension: "parquet"}
	slow, refs, first := d, stage(t, d), stage(t, d)
	slow.Disk = &overtaken{rename.Disk, func() { must.Value(d.Publish(ctx, first, releasedFiles("r"), nil))(t) }}
	must.Value(slow.Publish(ctx, refs, releasedFiles("r"), nil))(t)
	finished(t, d)
}

// overtaken is a disk on which something happens after a directory was made, once.
type overtaken struct {
	layout.Disk
	then func()
}

func (d *overtaken) MkdirAll(dir string) error {
	err := d.Disk.MkdirAll(dir)
	if then := d.then; then != nil {
		d.then = nil
		then()
	}
	return err
}

// Of two runs that race exactly one publishes; with overwrite both do, one after the other.
func TestRacingRuns(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		for range 20 {
			path := t.TempDir()
			var errs [2]error
			var dirs [2]Dir
			var wg sync.WaitGroup
			for i := range dirs {
				dirs[i] = Dir{Path: path, RunID: fmt.Sprint("run", i), Shards: 3, Extension: "parquet", Overwrite: overwrite}
				refs := stage(t, dirs[i])
				wg.Go(func() { _, errs[i] = dirs[i].Publish(ctx, refs, releasedFiles(dirs[i].RunID), nil) })
			}
			wg.Wait()
			m := must.Value(Open(ctx, path))(t)
			winner := int(m.RunID[3] - '0')
			must.Need(t, errs[winner] == nil && (errs[1-winner] == nil) == overwrite, "overwrite %v: %v", overwrite, errs)
			finished(t, dirs[winner])
		}
	}
}

func TestManifestIsChecked(t *testing.T) {
	dir := t.TempDir()
	d := Dir{Path: dir, RunID: "r", Shards: 2, Extension: "csv"}
	must.Value(d.Publish(ctx, stage(t, d), releasedFiles("r"), nil))(t)
	good := must.Value(d.in(ctx).ReadFile(d.in(ctx).InRelease(layout.ManifestName)))(t)
	for old, change := range map[string]string{
		"part-00000": "../part-00000", `"format": 3`: `"format": 2`, `"rows": 3`: `"rows": 4`,
		"_privacy.json": "privacy.json", `"bytes": `: `"bytes": -`, "{": "",
	} {
		bad := strings.Replace(string(good), old, change, 1)
		must.Need(t, bad != string(good), "%q is not in the manifest", old)
		must.Do(t, os.WriteFile(d.in(ctx).InRelease(layout.ManifestName), []byte(bad), 0o600))
		must.Fails(Open(ctx, dir))(t, "", "%q → %q was read", old, change)
	}
	must.Do(t, os.WriteFile(d.in(ctx).InRelease(layout.ManifestName), good, 0o600))
	m := must.Value(Open(ctx, dir))(t)
	part := d.in(ctx).At(d.in(ctx).PartName(1))
	b, _ := os.ReadFile(part)
	b[0]++
	must.Do(t, os.WriteFile(part, b, 0o600))
	must.Fail(t, m.Verify(ctx), "has changed")
	must.Do(t, os.WriteFile(part, b[1:], 0o600))
	must.Fails(m.Files(ctx))(t, "bytes, and its manifest says")
}

// A released file that is made a few bytes at a time, as a page is, takes few writes.
func TestReleasedFilesAreWrittenAtOnce(t *testing.T) {
	d := Dir{Path: filepath.Join(t.TempDir(), "out"), RunID: "run", Shards: 1, Extension: "csv"}
	must.Do(t, d.Prepare(ctx))
	refs := stage(t, d)
	page := Released{Name: "_report.html", Write: func(w io.Writer, _ []File) error {
		for i := range 5000 {
			if _, err := fmt.Fprintf(w, "<p>figure %d\n", i); err != nil {
				return err
			}
		}
		return nil
	}}
	calls, known := dptest.WriteCalls(func() {
		must.Value(d.Publish(ctx, refs, []Released{page}, nil))(t)
	})
	t.Logf("figure: %d writes", calls)
	must.Hold(t, !known || calls <= 100, "%d writes of one page and a manifest", calls)
}
