package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestLogged: a result is taken from the package that it names, if it passed and ran whole.
func TestLogged(t *testing.T) {
	root := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(root, "dp"), 0o700))
	event := func(action, pkg, test string) string {
		return `{"Time":"2026-11-29T10:00:00Z","Action":"` + action + `","Package":"github.com/dapple-dp/dapple/` + pkg + `","Test":"` + test + `"}` + "\n"
	}
	whole := event("pass", "dp", "TestA") + event("fail", "dp", "TestB") + event("skip", "dp", "TestC") + event("pass", "dp/domain", "TestD") + event("pass", "dp", "TestE")
	files := map[string]string{
		"dp/a_test.go": "package dp\nimport \"testing\"\nfunc TestE(t *testing.T) { if testing.Short() { return } }\n",
		"whole.json":   whole, "short.json": whole,
	}
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	tests := in("dp", "TestA", "TestB", "TestC", "TestD", "TestE", "TestF")
	for name, want := range map[string]int{"whole.json": 2, "short.json": 1} {
		got, err := logged(root, tests, filepath.Join(root, name))
		must.Hold(t, err == nil && len(got) == want && got[named{"dp", "TestA"}].verdict == passed, "%s: %v, %v, want %d results", name, got, err, want)
		left := without(tests, got)
		must.Hold(t, len(left) == len(tests)-want, "%s: %v are left to run", name, left)
	}
	must.Fails(logged(root, tests, filepath.Join(root, "none.json")))(t, "", "a file that is not there is taken")
}
