package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeCompiles: the program in README.md is one, with a source and a sink, and so are the steps after it.
func TestReadmeCompiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for rest := string(text); ; {
		_, after, found := strings.Cut(rest, "```go\n")
		if !found {
			break
		}
		block, more, _ := strings.Cut(after, "```\n")
		blocks, rest = append(blocks, block), more
	}
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of Go in README.md, want the program and its steps", len(blocks))
	}
	dir := t.TempDir()
	for name, code := range map[string]string{
		"main.go": blocks[0],
		"ends.go": `package main

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

func read(s beam.Scope) beam.PCollection { return beam.Create(s, Visit{}) }

func write(beam.Scope, beam.PCollection) {}
`,
		"steps.go": `package main

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

func steps(s beam.Scope, people beam.PCollection) beam.PCollection {
` + blocks[1] + `
	return rows
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", append([]string{"vet", "-C", ".."}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
