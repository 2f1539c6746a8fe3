package rivals

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Each method's file opens with its source, its privacy events and its cost.
func TestFilesOpenWithTheMethod(t *testing.T) {
	docs := map[string]bool{"../../../internal/solver/dpam/doc.go": true, "../../../solver/dpfw/doc.go": true, "dpampaper/doc.go": true, "dpfwpaper/doc.go": true}
	files := must.Value(filepath.Glob("*.go"))(t)
	for _, file := range files {
		text := must.Value(os.ReadFile(file))(t)
		if regexp.MustCompile(`(?m)^(var|\t)\s*\w+ = Algorithm{`).Match(text) {
			docs[file] = true
		}
	}
	must.Hold(t, len(docs) >= 14, "%d files of methods", len(docs))
	for file := range docs {
		text := must.Value(os.ReadFile(file))(t)
		for _, part := range []string{`Source: `, `Events( and cost)?: `, `[Cc]ost: `} {
			must.Hold(t, regexp.MustCompile(`(?m)^// .*`+part).Match(text), "%s has no line of %s", file, part)
		}
	}
}
