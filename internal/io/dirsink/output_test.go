package dirsink

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// published returns a finished output with rows and released files.
func published(t *testing.T, rows, release string) Dir {
	t.Helper()
	d := Dir{Path: rows, Release: release, RunID: "r", Shards: 2, Extension: "csv"}
	must.Value(d.Publish(ctx, stage(t, d), releasedFiles("r"), nil))(t)
	return d
}

// An output is found by the directory of its rows or by the directory of the rest, also after both have moved.
func TestOpenByEitherName(t *testing.T) {
	home := t.TempDir()
	at := func(elements ...string) string { return filepath.Join(append([]string{home}, elements...)...) }
	published(t, at("out"), "")
	published(t, at("run", "rows"), at("run"))
	published(t, at("x", "rows"), at("x", "papers"))
	move := func(from, to string) {
		t.Helper()
		must.Do(t, os.Rename(at(from), at(to)))
	}
	opens := func(name, rows string) {
		t.Helper()
		o, err := Open(ctx, at(name))
		if err != nil {
			t.Error(err)
			return
		}
		must.Hold(t, o.Path == at(rows), "%s: rows in %s", name, o.Path)
		must.Pass(t, errors.Join(o.Check(ctx), o.Verify(ctx)), "%s", name)
	}
	opens("out", "out")
	opens("out/", "out")
	opens("out.release", "out")
	opens("run", "run/rows")
	opens("x/papers", "x/rows")
	move("x", "y")
	opens("y/papers", "y/rows")
	move("out", "other")
	move("out.release", "other.release")
	opens("other", "other")
	opens("other.release", "other")
	move("other.release", "papers")
	for name, want := range map[string]string{
		"other": "neither " + at("other") + "/ nor " + at("other.release") + "/ has a manifest", "papers": "call it as the directory of the rows", "absent": "has a manifest", "y/rows": "has a manifest",
	} {
		_, err := Open(ctx, at(name))
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && (name != "papers") == errors.Is(err, fs.ErrNotExist), "%s: %v", name, err)
	}
}

// Every file of an output is held to its manifest, also at the same size; and nothing else may be among
// the rows.
func TestAlteredOutput(t *testing.T) {
	for name, tc := range map[string]struct {
		alter func(t *testing.T, d Dir)
		want  string
	}{
		"part of the same size": {func(t *testing.T, d Dir) { flip(t, d.in(ctx).At(d.in(ctx).PartName(1))) }, "part-00001-of-00002.csv has changed since it was written: its checksum"},
		"statement":             {func(t *testing.T, d Dir) { flip(t, d.in(ctx).InRelease("_privacy.json")) }, "_privacy.json has changed since it was written: its checksum"},
		"shorter":               {func(t *testing.T, d Dir) { check(t, os.Truncate(d.in(ctx).At(d.in(ctx).PartName(0)), 3)) }, "it has 3 bytes, and its manifest says 8"},
		"missing":               {func(t *testing.T, d Dir) { check(t, os.Remove(d.in(ctx).InRelease("_report.html"))) }, "_report.html is missing"},
		"stranger":              {func(t *testing.T, d Dir) { check(t, os.WriteFile(d.in(ctx).At("more.csv"), nil, 0o600)) }, `holds "more.csv", which the run did not write`},
		"directory": {func(t *testing.T, d Dir) {
			check(t, errors.Join(os.Mkdir(d.in(ctx).At("a"), 0o700), os.Mkdir(d.in(ctx).At("b"), 0o700)))
		}, `holds "a" and 1 more that the run did not write`},
	} {
		t.Run(name, func(t *testing.T) {
			d := published(t, filepath.Join(t.TempDir(), "out"), "")
			tc.alter(t, d)
			o := must.Value(Open(ctx, d.Path))(t)
			_, filesErr := o.Files(ctx)
			found := []error{o.Verify(ctx), o.Check(ctx), filesErr}
			if strings.Contains(tc.want, "the run did not write") { // readers of the manifest do not mind
				must.Pass(t, errors.Join(found[1:]...))
				found = found[:1]
			}
			for _, err := range found {
				must.Fail(t, err, tc.want)
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	must.Do(t, err)
}

// flip changes one byte of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	check(t, err)
	b[0] ^= 1
	check(t, os.WriteFile(path, b, 0o600))
}

// A released file can say what it goes with: parts, and the released files before it.
func TestReleasedFilesKnowWhatIsBeforeThem(t *testing.T) {
	d := Dir{Path: filepath.Join(t.TempDir(), "out"), RunID: "r", Shards: 2, Extension: "csv"}
	var seen []File
	files := []Released{Content("_model.arrow", []byte("model")), {Name: "_privacy.json", Write: func(w io.Writer, before []File) error {
		seen = before
		_, err := io.WriteString(w, Digest(before))
		return err
	}}}
	m, err := d.Publish(ctx, stage(t, d), files, nil)
	check(t, err)
	must.List(t, seen, append(slices.Clone(m.Parts), m.Released[0]), "seen")
	// printf model | sha256sum
	must.Hold(t, m.Released[0].SHA256 == "9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4", "%v", m.Released[0])
}

// Rows and everything else must not meet, and both are in one place.
func TestPlacesThatCannotBe(t *testing.T) {
	for want, d := range map[string]Dir{
		"out/ is for rows alone, and ./out/ is in it":               {Path: "out", Release: "./out"},
		"out/ is for rows alone, and out/papers/ is in it":          {Path: "out", Release: "out/papers"},
		". has no name to append .release to":                       {Path: "."},
		"gs://bucket has no name to append .release to":             {Path: "gs://bucket"},
		"out/ and gs://bucket/papers/ are not in one place":         {Path: "out", Release: "gs://bucket/papers"},
		"no directory is given":                                     {},
		"gs://b/out/ is for rows alone, and gs://b/out/r/ is in it": {Path: "gs://b/out", Release: "gs://b/out/r"},
	} {
		d.RunID = "r"
		must.Fail(t, d.Check(ctx), want)
	}
	for rows, want := range map[string]string{"out/": "out.release", "a/out": "a/out.release", "gs://b/out/": "gs://b/out.release", "v1.2": "v1.2.release"} {
		got, err := Beside(rows)
		must.Hold(t, got == want && err == nil, "%s: %s, %v", rows, got, err)
	}
}

// Rows whose manifest is elsewhere are read where all are there and nothing else is.
func TestRowsWithoutTheirManifest(t *testing.T) {
	home := t.TempDir()
	rows := filepath.Join(home, "rows")
	d := published(t, rows, filepath.Join(home, "papers"))
	list, err := Rows(ctx, rows)
	must.Need(t, err == nil && len(list) == 2 && list[1].Name == d.in(ctx).At(d.in(ctx).PartName(1)), "%v, %v", list, err)
	check(t, os.WriteFile(d.in(ctx).At("x.csv"), nil, 0o600))
	if list, err := Rows(ctx, rows); err != nil || len(list) > 0 {
		t.Error("with a stranger:", list, err)
	}
	check(t, errors.Join(os.Remove(d.in(ctx).At("x.csv")), os.Remove(d.in(ctx).At(d.in(ctx).PartName(0)))))
	if list, err := Rows(ctx, rows); err != nil || len(list) > 0 {
		t.Error("with a part missing:", list, err)
	}
}
