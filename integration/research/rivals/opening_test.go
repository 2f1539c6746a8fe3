package rivals

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Each method's file opens with its source, its privacy events and its cost.
func TestFilesOpenWithTheMethod(t *testing.T) {
	docs := map[string]bool{"../../../solver/dpam/doc.go": true, "../../../solver/dpfw/doc.go": true, "dpampaper/doc.go": true, "dpfwpaper/doc.go": true}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`(?m)^(var|\t)\s*\w+ = Algorithm{`).Match(text) {
			docs[file] = true
		}
	}
	if len(docs) < 14 {
		t.Errorf("%d files of methods", len(docs))
	}
	for file := range docs {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`Source: `, `Events( and cost)?: `, `[Cc]ost: `} {
			if !regexp.MustCompile(`(?m)^// .*` + part).Match(text) {
				t.Errorf("%s has no line of %s", file, part)
			}
		}
	}
}
