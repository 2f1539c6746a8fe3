package pipelines

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/pagetest"
)

func drawn(c ReportConfig) error {
	r, err := ValidateReport(context.Background(), c)
	if err != nil {
		return err
	}
	return Report(context.Background(), r, &bytes.Buffer{})
}

// The report that a run writes is drawn again from released files, byte for byte. Files that do not belong together,
// and directories without a statement, are refused, and nothing is written.
func TestReport(t *testing.T) {
	c := shop(t, 300)
	mustRun(t, c)
	release := c.Output + ".release"
	first := must.Value(os.ReadFile(filepath.Join(release, publish.ReportFile)))(t)
	must.Hold(t, strings.Contains(pagetest.WellFormed(t, first), "one person"), "the report does not name the privacy unit")
	for _, dir := range []string{c.Output, release} {
		html := filepath.Join(t.TempDir(), "again.html")
		must.Do(t, drawn(ReportConfig{Dir: dir, HTML: html}))
		again, err := os.ReadFile(html)
		must.Hold(t, err == nil && bytes.Equal(first, again), "%s: another report, %v", dir, err)
	}
	other := shop(t, 300)
	mustRun(t, other)
	for name, tt := range map[string]struct {
		alter   func(dir string)
		want    string
		request bool
	}{
		"marginals of another run": {func(r string) { swapIn(t, r, other, publish.MarginalsFile, true) }, "_privacy.json is the statement of another _marginals.parquet", false},
		"statement of another run": {func(r string) { swapIn(t, r, other, publish.PrivacyFile, false) }, "_privacy.json has changed since it was written", false},
		"model of another run":     {func(r string) { swapIn(t, r, other, publish.ModelFile, true) }, "_privacy.json is the statement of another _model.arrow", false},
		"rows of another run":      {func(r string) { swapRows(t, r, other) }, ".parquet has changed since it was written", false},
		"no statement":             {func(r string) { os.Remove(filepath.Join(r, publish.PrivacyFile)) }, "_privacy.json is missing", false},
		"no manifest":              {func(r string) { os.Remove(filepath.Join(r, "_manifest.json")) }, "has a manifest", true},
	} {
		rows := filepath.Join(t.TempDir(), "out")
		for from, to := range map[string]string{c.Output: rows, release: rows + ".release"} {
			must.Do(t, os.CopyFS(to, os.DirFS(from)))
		}
		tt.alter(rows + ".release")
		html := filepath.Join(t.TempDir(), "again.html")
		err := drawn(ReportConfig{Dir: rows, HTML: html})
		must.Hold(t, err != nil && IsRequest(err) == tt.request && strings.Contains(err.Error(), tt.want), "%s: got %v, want %s", name, err, tt.want)
		must.Fails(os.Stat(html))(t, "", "%s: a report was written", name)
	}
	r := must.Value(ValidateReport(context.Background(), ReportConfig{Dir: c.Output, HTML: filepath.Join(t.TempDir(), "again.html")}))(t)
	must.Do(t, os.RemoveAll(c.Output))
	var said bytes.Buffer
	if err := Report(context.Background(), r, &said); err != nil || !strings.Contains(said.String(), "they were not compared with the statement") {
		t.Errorf("a release without its rows: %v, %s", err, said.String())
	}
	err := drawn(ReportConfig{Dir: c.Output, HTML: filepath.Join(release, publish.ReportFile)})
	must.Hold(t, IsRequest(err) && strings.Contains(err.Error(), "a released file"), "the released report is replaced: %v", err)
}

// swapRows puts the rows of another run beside a release.
func swapRows(t *testing.T, release string, other Config) {
	t.Helper()
	rows := strings.TrimSuffix(release, ".release")
	err := os.RemoveAll(rows)
	if err == nil {
		err = os.CopyFS(rows, os.DirFS(other.Output))
	}
	must.Do(t, err)
}

// swapIn puts a file of another run in the place of one; with refit the manifest is made to fit.
func swapIn(t *testing.T, release string, other Config, name string, refit bool) {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join(other.Output+".release", name)))(t)
	put(t, filepath.Join(release, name), string(b))
	if refit {
		refitted(t, release, name)
	}
}

// The report names the place of the rows for those who read them: of a local directory its own name alone.
func TestRowsAt(t *testing.T) {
	for _, c := range []struct{ output, at, format string }{
		{"/home/me/out", "out", "csv"}, {"out/", "out", "csv"}, {"gs://b/x/out/", "gs://b/x/out", "csv"}, {"bq://p.d.t", "bq://p.d.t", ""},
	} {
		at, format := publish.RowsAt(c.output, "csv")
		must.Hold(t, at == c.at && format == c.format, "%s: got %q, %q", c.output, at, format)
	}
}

// A run says in its last lines and its statement whether the model meets the criteria, and how it ends follows from that
// alone. A thousandth of the budget pays for noise of some ten units, and the limits are 320 units from no error at all:
// the answer is wrong with a probability below 1e-50.
func TestCriteria(t *testing.T) {
	c := shop(t, 400)
	c.Epsilon, c.ExpectedRows, c.Criteria = 20, 400, "age,plan<=0.9; active <= 0.8"
	res := mustRun(t, c)
	said := res.Privacy.Criteria
	must.Need(t, said != nil && len(said.Limits) == 2 && said.Met && res.Criteria() == nil, "said %+v, and the error is %v", said, res.Criteria())
	said.Met = false
	must.Hold(t, errors.Is(res.Criteria(), ErrCriteria), "criteria that are not met: the error is %v", res.Criteria())
	var text strings.Builder
	err := res.WriteText(&text)
	must.Hold(t, err == nil && strings.Contains(text.String(), "criteria NOT met: "), "last lines %s", text.String())
}
