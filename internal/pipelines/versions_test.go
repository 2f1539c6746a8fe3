package pipelines

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const goldenReleases = "testdata/releases"

// golden copies the release that a version has written, and returns its directory.
func golden(t *testing.T, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), version)
	must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join(goldenReleases, version))))
	return dir
}

func fileOf(t *testing.T, name string) []byte {
	t.Helper()
	b := must.Value(os.ReadFile(name))(t)
	return b
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Releases and budget books of every version from v0.1.0 on are read, and the same rows are drawn from their models.
// `make golden VERSION=…` makes the release of a version.
func TestReleasesOfEveryVersion(t *testing.T) {
	ctx := context.Background()
	list := must.Value(os.ReadDir(goldenReleases))(t)
	versions := map[string]bool{}
	for _, e := range list {
		version := e.Name()
		if !e.IsDir() {
			continue
		}
		versions[version] = true
		t.Run(version, func(t *testing.T) {
			dir := golden(t, version)
			out := filepath.Join(dir, "out")
			v := must.Value(verified(VerifyConfig{Dir: out}))(t)
			model, err := modelfile.Decode(fileOf(t, filepath.Join(out+".release", publish.ModelFile)))
			must.Hold(t, err == nil && model.Version == version && v.Output.Version == version && v.Privacy.Versions.Dapple == version,
				"model of %s, manifest of %s, statement of %s, error %v", model.Version, v.Output.Version, v.Privacy.Versions.Dapple, err)
			r := must.Value(ValidateSample(ctx, SampleConfig{Model: out, Output: filepath.Join(dir, "more"), Tables: true, Format: "csv", Shards: 1, SampleSeed: 7, HasSampleSeed: true, Runner: "direct"}))(t)
			must.Value(RunSample(ctx, r))(t)
			for _, part := range []string{"people/part-00000-of-00001.csv", "events/part-00000-of-00001.csv"} {
				got, want := fileOf(t, filepath.Join(dir, "more", part)), fileOf(t, filepath.Join(dir, "again", part))
				must.Hold(t, bytes.Equal(got, want) && len(want) >= 100, "%s: other rows than %s has drawn:\n%s\nwant\n%s", part, version, got, want)
			}
			page := filepath.Join(dir, "page.html")
			drawing, err := ValidateReport(ctx, ReportConfig{Dir: out, HTML: page})
			if err == nil {
				err = Report(ctx, drawing, io.Discard)
			}
			must.Hold(t, err == nil && bytes.Contains(fileOf(t, page), []byte(v.Privacy.Method)), "the report: %v", err)
			var text strings.Builder
			err = Ledger(ctx, &text, LedgerConfig{Dir: filepath.Join(dir, "book"), Check: []string{out}})
			must.Hold(t, err == nil && strings.Contains(text.String(), "by 1 run"), "the book: %v\n%s", err, &text)
		})
	}
	must.Hold(t, versions["v0.1.0"] && versions[buildinfo.Release],
		"there are releases of %v, and none of v0.1.0 or %s: make golden VERSION=%s", versions, buildinfo.Release, buildinfo.Release)
}

// A release of a later version is called that, and not altered; nothing is read from it.
func TestReleasesOfLaterVersions(t *testing.T) {
	const later = "v0.9.0"
	release := func(t *testing.T, inModel bool) string {
		dir := filepath.Join(golden(t, "v0.1.0"), "out.release")
		edit(t, dir, "_manifest.json", `"version": "v0.1.0"`, `"version": "`+later+`"`, false)
		edit(t, dir, publish.PrivacyFile, `"dapple": "v0.1.0"`, `"dapple": "`+later+`"`, true)
		if inModel {
			old := fileOf(t, filepath.Join(dir, publish.ModelFile))
			put(t, filepath.Join(dir, publish.ModelFile), strings.ReplaceAll(strings.ReplaceAll(string(old), "\x01\x00\x00\x003\x00", "\x01\x00\x00\x004\x00"), "v0.1.0", later))
			refitted(t, dir, publish.ModelFile)
			edit(t, dir, publish.PrivacyFile, sumOf(old), sumOf(fileOf(t, filepath.Join(dir, publish.ModelFile))), true)
		}
		return dir
	}
	for name, tt := range map[string]struct {
		of    func(t *testing.T) string
		words []string
	}{
		"manifest": {func(t *testing.T) string {
			dir := release(t, false)
			edit(t, dir, "_manifest.json", `"format": 3`, `"format": 4`, false)
			return dir
		}, []string{"manifest is of format \"4\"", "which reads format 3: use that version"}},
		"statement": {func(t *testing.T) string {
			dir := release(t, false)
			edit(t, dir, publish.PrivacyFile, `"format": 1`, `"format": 2`, true)
			return dir
		}, []string{"statement is of format \"2\"", "which reads format 1: use that version"}},
		"model": {func(t *testing.T) string { return release(t, true) }, []string{"_model.arrow", "is of format \"4\"", "which reads format 3: use that version"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tt.of(t)
			_, err := verified(VerifyConfig{Dir: dir})
			want := append(tt.words, "is of another version of dapple, and cannot be checked by this one", "written by dapple "+later+"; this is "+buildinfo.Version())
			for _, w := range want {
				must.Fail(t, err, w)
			}
			must.Hold(t, err == nil || !strings.Contains(err.Error(), "do not use it"), "verify says %v", err)
			if name != "statement" {
				_, err := ValidateSample(context.Background(), SampleConfig{Model: dir, Output: filepath.Join(t.TempDir(), "more")})
				must.Hold(t, err != nil && strings.Contains(err.Error(), tt.words[len(tt.words)-1]) && strings.Contains(err.Error(), later), "sample says %v", err)
			}
		})
	}
	// What has changed since is told along with the version that wrote it.
	dir := release(t, false)
	edit(t, dir, publish.PrivacyFile, `"epsilon": 1`, `"epsilon": 2`, false)
	_, err := verified(VerifyConfig{Dir: dir})
	must.Hold(t, err != nil && strings.Contains(err.Error(), "do not use it") && strings.Contains(err.Error(), "written by dapple "+later), "verify says %v", err)
}
