package pipelines

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const aboutShop = "name: Shop\ncurator: A shop\ncurator_type: Industry\nauthors: A. Author\nuse: tests\nregion: nowhere\n"

// What only the curator knows is in the statement, word for word, and in the page; faults of the file are found before
// anything is read, all at once.
func TestAbout(t *testing.T) {
	c := shop(t, 300)
	c.About = filepath.Join(t.TempDir(), "about.yaml")
	write := func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(c.About, []byte(text), 0o600))
	}
	for text, wants := range map[string][]string{
		"nam: Shop\nsector: Retail\npublished: soon\n": {`unknown key "nam"`, `sector: got "Retail"; want Technology`, "published: got"},
		"source: here\nuse: ''\n":                      {"source: got", "use: is empty"},
		strings.Repeat("#", 70_000):                    {"larger than 64 kB"},
		"":                                             {"the file is empty"},
	} {
		write(text)
		_, err := ValidateRun(context.Background(), c)
		for _, want := range wants {
			must.Hold(t, IsRequest(err) && strings.Contains(err.Error(), want), "%.40q: %v does not say %s", text, err, want)
		}
	}
	_, err := os.Stat(c.Output)
	must.Hold(t, os.IsNotExist(err), "something was written: %v", err)
	write(aboutShop)
	mustRun(t, c)
	p := must.Value(contents.Statement(context.Background(), c.Output+".release"))(t)
	must.Hold(t, p.About["curator"] == "A shop" && len(p.Began) == len("2026-01-31T12:00:00Z"), "about %v, began %q", p.About, p.Began)
	page, err := os.ReadFile(filepath.Join(c.Output+".release", publish.ReportFile))
	must.Hold(t, err == nil && bytes.Contains(page, []byte("A shop")), "the report does not name the curator: %v", err)

	dir := t.TempDir()
	family := ReportConfig{Dir: c.Output, Registry: filepath.Join(dir, "r.yaml"), Croissant: filepath.Join(dir, "c.json")}
	must.Do(t, drawn(family))
	for name, want := range map[string]string{"r.yaml": "data_curator_name: A shop", "c.json": "part-00000-of-"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must.Hold(t, err == nil && bytes.Contains(b, []byte(want)), "%s lacks %s: %v", name, want, err)
	}
	_, err = os.Stat(filepath.Join(dir, "report.html"))
	must.Hold(t, os.IsNotExist(err), "a report that nobody asked for")
	write("use: something else\n")
	family.About = c.About
	must.Do(t, drawn(family))
	b, err := os.ReadFile(family.Registry)
	must.Hold(t, err == nil && bytes.Contains(b, []byte("intended_use: something else")), "%s: %v", b, err)
}

// A record without what only the curator knows, and a file among those released, are refused in words.
func TestFamilyRefusals(t *testing.T) {
	c := shop(t, 300)
	mustRun(t, c)
	to := filepath.Join(t.TempDir(), "r.yaml")
	err := drawn(ReportConfig{Dir: c.Output, Registry: to})
	want := "needs name, curator, curator_type, use, region, authors, which only you know"
	must.Hold(t, IsRequest(err) && strings.Contains(err.Error(), want), "%v does not say %s", err, want)
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	err = drawn(ReportConfig{Dir: c.Output, Croissant: filepath.Join(c.Output+".release", publish.ModelFile)})
	must.Hold(t, IsRequest(err) && strings.Contains(err.Error(), "a released file that `dapple verify` compares"), "got %v", err)
}
