package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// defect is a fault to build in, and the test that must fail for it.
type defect struct {
	name     string
	file     string // slash path from the root of the repository; the text is found elsewhere if it has moved
	old, new string
	dir      string // of the test's package; default: of file; the test is found elsewhere if it has moved
	test     string
	number   int // from 1
}

// pkg returns the directory of the package whose test must fail.
func (d defect) pkg() string {
	if d.dir != "" {
		return d.dir
	}
	return path.Dir(d.file)
}

// applied returns the file's text with the defect.
func (d defect) applied(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(d.file)))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(b), d.old); n != 1 {
		return "", fmt.Errorf("%s: the text to replace occurs %d times in %s, want once", d.name, n, d.file)
	}
	return strings.Replace(string(b), d.old, d.new, 1), nil
}

// table returns README.md, for defects in their places.
func table(list []defect) string {
	var b strings.Builder
	b.WriteString("# Seeded defects\n\n" +
		"`go -C integration run ./mutation` builds the defects into a copy of the repository, lets one act at a time and\n" +
		"runs the test named next to it, which must fail. A defect is a block of a file in [defects](defects); this table is\n" +
		"made: `go -C integration test ./mutation -update`.\n\n" +
		"| defect | file | test that fails |\n|---|---|---|\n")
	for _, d := range list {
		fmt.Fprintf(&b, "| %s | %s | %s `%s` |\n", d.name, d.file, d.pkg(), d.test)
	}
	return b.String()
}
