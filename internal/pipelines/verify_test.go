package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// verified checks the output of a run, by the name that is given.
func verified(c VerifyConfig) (*Verified, error) {
	r, err := ValidateVerify(context.Background(), c)
	if err != nil {
		return nil, err
	}
	return Verify(context.Background(), r)
}

// edit replaces text in a file; with refit the manifest is made to fit.
func edit(t *testing.T, release, name, old, change string, refit bool) {
	t.Helper()
	path := filepath.Join(release, name)
	b := must.Value(os.ReadFile(path))(t)
	after := strings.Replace(string(b), old, change, 1)
	must.Need(t, after != string(b), "%q is not in %s", old, name)
	put(t, path, after)
	if refit {
		refitted(t, release, name)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
}

// refitted writes the manifest anew for a file that has changed, as somebody would who knows of it.
func refitted(t *testing.T, release, name string) {
	t.Helper()
	path := filepath.Join(release, "_manifest.json")
	var m dirsink.Manifest
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	must.Do(t, err)
	b = must.Value(os.ReadFile(filepath.Join(release, name)))(t)
	for _, list := range [][]dirsink.File{m.Parts, m.Released} {
		for i := range list {
			if list[i].Name == filepath.Base(name) {
				sum := sha256.Sum256(b)
				list[i].Bytes, list[i].SHA256 = int64(len(b)), hex.EncodeToString(sum[:])
			}
		}
	}
	put(t, path, string(m.Encode()))
}

// What a run has written belongs together, by the name of either directory. Whatever is exchanged or altered
// is found: at the same size, where the manifest was made to fit, and where all was rewritten but the digest.
func TestVerify(t *testing.T) {
	c := shop(t, 300)
	res := mustRun(t, c)
	release, digest := c.Output+".release", res.Written.Digest
	for _, name := range []string{c.Output, release, c.Output + "/"} {
		v, err := verified(VerifyConfig{Dir: name, Digest: "sha256:" + strings.ToUpper(digest)})
		must.Need(t, err == nil && v.Privacy != nil && v.Privacy.Epsilon == 1 && v.Kept && v.Output.Rows == res.Written.Rows, "%s: %+v, %v", name, v, err)
		var text strings.Builder
		err = v.WriteText(&text)
		must.Hold(t, err == nil && strings.Contains(text.String(), digest+": the one that was kept"), "said %s, %v", text.String(), err)
	}
	if model, err := modelfile.Decode(fileOf(t, filepath.Join(release, publish.ModelFile))); err != nil || model.Version != buildinfo.Version() {
		t.Errorf("the model is of %s, and this is %s; error %v", model.Version, buildinfo.Version(), err)
	}
	other := shop(t, 300)
	mustRun(t, other)
	foreign := func(t *testing.T, release, name string) {
		b := must.Value(os.ReadFile(filepath.Join(other.Output+".release", name)))(t)
		put(t, filepath.Join(release, name), string(b))
		refitted(t, release, name)
	}
	for name, tt := range map[string]struct {
		alter func(t *testing.T, rows, release string)
		want  string
	}{
		"ε": {func(t *testing.T, _, r string) {
			edit(t, r, publish.PrivacyFile, `"epsilon": 1`, `"epsilon": 9`, false)
		}, "_privacy.json has changed since it was written"},
		"ε, refitted": {func(t *testing.T, _, r string) { edit(t, r, publish.PrivacyFile, `"epsilon": 1`, `"epsilon": 9`, true) }, `_privacy.json promises "ε = 9, δ = 1e-06, add or remove one customer", and _model.arrow was made with "ε = 1`},
		"figure": {func(t *testing.T, _, r string) {
			edit(t, r, publish.PrivacyFile, `"releases": 2`, `"releases": 3`, false)
		}, "_privacy.json has changed"},
		"rows of part": {func(t *testing.T, rows, _ string) { flipByte(t, filepath.Join(rows, "part-00001-of-00002.parquet")) }, "part-00001-of-00002.parquet has changed"},
		"rows of part, refitted": {func(t *testing.T, rows, r string) {
			flipByte(t, filepath.Join(rows, "part-00001-of-00002.parquet"))
			refitted(t, r, filepath.Join("..", filepath.Base(rows), "part-00001-of-00002.parquet"))
		}, "_privacy.json is the statement of other rows"},
		"marginals":                {func(t *testing.T, _, r string) { flipByte(t, filepath.Join(r, publish.MarginalsFile)) }, "_marginals.parquet has changed"},
		"errors":                   {func(t *testing.T, _, r string) { flipByte(t, filepath.Join(r, publish.ErrorsFile)) }, "_errors.json has changed"},
		"errors of another run":    {func(t *testing.T, _, r string) { foreign(t, r, publish.ErrorsFile) }, "_privacy.json is the statement of another _errors.json"},
		"model":                    {func(t *testing.T, _, r string) { flipByte(t, filepath.Join(r, publish.ModelFile)) }, "_model.arrow has changed"},
		"statement of another run": {func(t *testing.T, _, r string) { foreign(t, r, publish.PrivacyFile) }, "_privacy.json is the statement of other rows"},
		"model of another run":     {func(t *testing.T, _, r string) { foreign(t, r, publish.ModelFile) }, "_privacy.json is the statement of another _model.arrow"},
		"marginals of another run": {func(t *testing.T, _, r string) { foreign(t, r, publish.MarginalsFile) }, "_privacy.json is the statement of another _marginals.parquet"},
		"report of another run":    {func(t *testing.T, _, r string) { foreign(t, r, publish.ReportFile) }, "_privacy.json is the statement of another _report.html"},
		"more rows":                {func(t *testing.T, rows, _ string) { put(t, filepath.Join(rows, "part-2.parquet"), "x") }, "which the run did not write"},
		"all, but the digest": {func(t *testing.T, _, r string) {
			edit(t, r, publish.PrivacyFile, `"releases": 2`, `"releases": 3`, true)
		}, "--digest another"},
		"manifest": {func(t *testing.T, _, r string) { edit(t, r, "_manifest.json", `"format"`, `"fromat"`, false) }, "the manifest is of format"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := filepath.Join(t.TempDir(), "out")
			for from, to := range map[string]string{c.Output: rows, release: rows + ".release"} {
				must.Do(t, os.CopyFS(to, os.DirFS(from)))
			}
			tt.alter(t, rows, rows+".release")
			_, err := verified(VerifyConfig{Dir: rows, Digest: digest})
			must.Hold(t, err != nil && !IsRequest(err) && strings.Contains(err.Error(), tt.want), "got %v, want %s", err, tt.want)
			_, err = verified(VerifyConfig{Dir: rows})
			must.Hold(t, (err == nil) == (name == "all, but the digest"), "without the digest: %v", err)
		})
	}
}

func flipByte(t *testing.T, path string) {
	t.Helper()
	b := must.Value(os.ReadFile(path))(t)
	b[len(b)/2] ^= 1
	put(t, path, string(b))
}

// What cannot be checked is the request's fault; rows of a saved model have no statement of their own.
func TestVerifyFaults(t *testing.T) {
	c := shop(t, 50)
	_, err := verified(VerifyConfig{Dir: filepath.Dir(c.Domain), Digest: "12"})
	must.Hold(t, IsRequest(err) && strings.Contains(err.Error(), `--digest: got "12"; want 64 hexadecimal digits`) && strings.Contains(err.Error(), "has a manifest"),
		"%v", err)
	mustRun(t, c)
	more := SampleConfig{Model: c.Output, Output: filepath.Join(t.TempDir(), "more"), Rows: 7, Runner: "direct"}
	r := must.Value(ValidateSample(context.Background(), more))(t)
	must.Value(RunSample(context.Background(), r))(t)
	v, err := verified(VerifyConfig{Dir: more.Output})
	must.Hold(t, err == nil && v.Privacy == nil && v.Output.Rows == 7, "%+v, %v", v, err)
	edit(t, c.Output+".release", publish.PrivacyFile, `"epsilon": 1`, `"epsilon": 2`, false)
	if _, err := ValidateSample(context.Background(), SampleConfig{Model: c.Output, Output: more.Output + "x"}); err == nil || !strings.Contains(err.Error(), "--model: ") || !strings.Contains(err.Error(), "_privacy.json has changed") {
		t.Errorf("a model whose statement was altered: %v", err)
	}
}
