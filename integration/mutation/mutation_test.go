package main

import (
	"flag"
	"go/format"
	"os"
	"testing"

	"github.com/dapple-dp/dapple/integration/internal/repo"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "write README.md")

// TestDefectsApply: each edit finds its place and leaves a file that parses, and its test exists. Whether
// the test fails is for the program to find out.
func TestDefectsApply(t *testing.T) {
	root := must.Value(repo.Root())(t)
	names := map[string]bool{}
	for _, d := range placed(t) {
		must.Hold(t, !names[d.name], "two defects are called %q", d.name)
		names[d.name] = true
		text, err := d.applied(root)
		if err != nil {
			t.Error(err)
			continue
		}
		must.Passes(format.Source([]byte(text)))(t, "%s", d.name)
	}
}

// placed returns every defect where its text and its test are.
func placed(t *testing.T) []defect {
	t.Helper()
	root, err := repo.Root()
	must.Do(t, err)
	files := must.Value(readTree(root))(t)
	list := must.Value(all())(t)
	list, err = files.placed(list)
	must.Pass(t, err)
	return list
}

func TestParse(t *testing.T) {
	const whole = "it forgets\ndp/a.go\nio TestA\n-\tx := 1\n-\n+\tx := 2\n+"
	got, err := parse(whole)
	want := (defect{name: "it forgets", file: "dp/a.go", dir: "io", test: "TestA", old: "\tx := 1\n", new: "\tx := 2\n"})
	must.Hold(t, err == nil && got == want, "got %+v, %v", got, err)
	for _, bad := range []string{"a\nb\nc", "a\nb\nc\n+x", "a\nb\nc\n-x\n+y\n-z", "a\nb\nc\n-x\ny", "a\nb\nc\n-x\n+x"} {
		must.Fails(parse(bad))(t, "", "%q is a defect", bad)
	}
}

// TestTable: README.md lists the defects of the program.
func TestTable(t *testing.T) {
	want := table(placed(t))
	if *update {
		must.Do(t, os.WriteFile("README.md", []byte(want), 0o644))
	}
	must.Equal(t, string(must.Value(os.ReadFile("README.md"))(t)), want, "README.md is stale: run go -C integration test ./mutation -update")
}
