package formattest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Every package that registers a format has a table of odd records.
func TestEveryFormatHasOddRecords(t *testing.T) {
	formats := 0
	for dir, text := range packages(t, false) {
		if !strings.Contains(text, ".RegisterFormat(") {
			continue
		}
		formats++
		must.Hold(t, strings.Contains(packages(t, true)[dir], "formattest.OddRecords("),
			"%s: it registers a format, and no test of it calls formattest.OddRecords", dir)
	}
	must.Hold(t, formats >= 5, "%d formats were found", formats)
}

// packages returns the text of the packages below io and internal/io, of their tests or of what is no test.
func packages(t *testing.T, tests bool) map[string]string {
	t.Helper()
	text := map[string]string{}
	public, err := filepath.Glob("../../../io/*io/*.go")
	internal, wrong := filepath.Glob("../../io/*io/*.go")
	must.Need(t, err == nil && wrong == nil, "%v, %v", err, wrong)
	for _, name := range append(public, internal...) {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		b := must.Value(os.ReadFile(name))(t)
		text[filepath.Dir(name)] += string(b)
	}
	return text
}
