package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestManual: every command has a page for man, with all flags that its help shows. make release keeps the pages, in the
// directory that DAPPLE_MAN names.
func TestManual(t *testing.T) {
	dir := os.Getenv("DAPPLE_MAN")
	if dir == "" {
		dir = t.TempDir()
	}
	all := commands(nil, false)
	top := root(all, io.Discard, io.Discard, nil)
	top.DisableAutoGenTag = true
	must.Do(t, doc.GenManTree(top, &doc.GenManHeader{Section: "1", Source: "dapple", Manual: "dapple"}, dir))
	for _, c := range all {
		b, err := os.ReadFile(filepath.Join(dir, "dapple-"+c.name+".1"))
		must.Hold(t, err == nil, "%v", err)
		text := strings.ReplaceAll(string(b), `\-`, "-")
		for _, o := range c.options {
			must.Hold(t, o.hidden || o.word || strings.Contains(text, "--"+o.name), "the page of %s lacks --%s", c.name, o.name)
		}
		must.Hold(t, strings.Contains(text, ".TH ") && strings.Contains(text, c.summary), "the page of %s lacks its head or its summary", c.name)
	}
}
