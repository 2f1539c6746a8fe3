package integration

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var (
	document = regexp.MustCompile(`[\w./-]+\.md\b`)
	section  = regexp.MustCompile(`§ ?[\d.]+`)
	link     = regexp.MustCompile(`\]\(([^)#:]+)\)`) // of Markdown, to a path
)

// absent returns what a file refers to and a reader does not find: documents and links that are not in the
// tree, which exists reports on, and numbered sections, which no document here has.
func absent(dir, text string, markdown bool, exists func(path string) bool) []string {
	here := func(name string) bool { return exists(filepath.Join(dir, name)) }
	var out []string
	for _, name := range document.FindAllString(text, -1) {
		if !strings.Contains(name, "//") && !here(name) && !exists(name) {
			out = append(out, name)
		}
	}
	out = append(out, section.FindAllString(text, -1)...)
	if markdown {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !here(m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// TestReferences: everything that a comment or a text refers to is here to be read.
func TestReferences(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if slices.Contains([]string{".git", "bin", "out", "testdata"}, e.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".sh", ".py"}, filepath.Ext(path)) && e.Name() != "Makefile" ||
			e.Name() == "references_test.go" { // which names documents that are not there
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		exists := func(name string) bool {
			_, err := os.Stat(filepath.Join("..", name))
			return err == nil
		}
		dir, err := filepath.Rel("..", filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, name := range absent(dir, string(text), filepath.Ext(path) == ".md", exists) {
			t.Errorf("%s refers to %s, which is not in the repository", path, name)
		}
		return nil
	})
	must.Do(t, err)
	must.Hold(t, read >= 500, "%d files were read: the check is blind", read)
}

func TestAbsentReferences(t *testing.T) {
	exists := func(name string) bool {
		return slices.Contains([]string{"README.md", "dp/PRIVACY.md", "dp/doc.go"}, name)
	}
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"dp/PRIVACY.md, PRIVACY.md and README.md; [promise](doc.go), [web](https://example.org/notes)", nil},
		{"the types of notes.md §6", []string{"notes.md", "§6"}},
		{"Dong, Roth, Su 2022, § 3.1", []string{"§ 3.1"}},
		{"[plan](plan.go)", []string{"plan.go"}},
	} {
		must.List(t, absent("dp", tt.text, true, exists), tt.want, "%q", tt.text)
	}
}
