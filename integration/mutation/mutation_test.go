package main

import (
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

var update = flag.Bool("update", false, "write README.md")

// TestDefectsApply: each edit finds its place and leaves a file that parses, and its test exists. Whether
// the test fails is for the program to find out.
func TestDefectsApply(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, d := range all() {
		if names[d.name] {
			t.Errorf("two defects are called %q", d.name)
		}
		names[d.name] = true
		text, err := d.applied(root)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := format.Source([]byte(text)); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
		if !exists(t, filepath.Join(root, filepath.FromSlash(d.pkg())), d.test) {
			t.Errorf("%s: no %s in %s", d.name, d.test, d.pkg())
		}
	}
}

// exists reports whether a package's test files declare a test.
func exists(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}

// TestTable: README.md lists the defects of the program.
func TestTable(t *testing.T) {
	want := table()
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile("README.md"); err != nil || string(b) != want {
		t.Errorf("README.md is not the table of the program (error %v): run go -C integration test ./mutation -update", err)
	}
}
