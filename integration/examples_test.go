package integration

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The examples read their flags and say what is wrong, as programs too: their own tests call functions.
func TestExamplesAsPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build six programs; make integration runs it")
	}
	t.Parallel()
	dir := t.TempDir()
	table := "id,colour,size\n"
	for i := range 300 {
		table += fmt.Sprintf("p%d,%s,%d\n", i, []string{"red", "green", "blue"}[i%3], 1+i%40)
	}
	domain := "privacy_id: id\ncolumns:\n  - {name: colour, type: STRING, values: [red, green, blue], other: true}\n" +
		"  - {name: size, type: INT64, min: 1, max: 40, bins: 4, null: true}\n"
	for name, content := range map[string]string{"people.yaml": domain, "people.csv": table} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for _, row := range []struct {
		program, args, want string
		fails               bool
	}{
		{"csvtoparquet", "-domain people.yaml -input people.csv -output rows", "rows to rows/*.parquet (1 file", false},
		{"csvtoparquet", "-domain people.yaml -input nobody.csv -output other", "--input: nobody.csv: no such file", true},
		{"sampleagain", "-model rows -where size>=11 -output more -rows 25", "25 rows to more/*.csv", false},
		{"sampleagain", "-model nothing.arrow -output most", "--model: nothing.arrow: no such file", true},
		{"chooseepsilon", "-domain people.yaml", "ε", false},
		{"chooseepsilon", "-domain nothing.yaml", "nothing.yaml", true},
		{"bigquery", "-domain people.yaml -from people.csv -to rows", "--output: rows is not empty", true},
		{"addstage", "-out visits.txt", "", false},
		{"manyrows", "-h", "Usage", false},
	} {
		bin := filepath.Join(dir, "bin-"+row.program)
		if _, err := os.Stat(bin); err != nil {
			out, err := exec.Command("go", "build", "-C", "..", "-o", bin, "./examples/"+row.program).CombinedOutput()
			must.Need(t, err == nil, "%s: %v\n%s", row.program, err, out)
		}
		cmd := exec.Command(bin, strings.Fields(row.args)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		must.Hold(t, (err != nil) == row.fails && strings.Contains(string(out), row.want), "%s %s: %v\n%s", row.program, row.args, err, out)
	}
}

// TestExamplesCompileOutside: who copies an Example from the documentation of a public package compiles it in a module of
// their own. So it stands in a package of its own, in a file that needs no other, and imports nothing internal. One that runs a
// pipeline says by passert what comes out.
func TestExamplesCompileOutside(t *testing.T) {
	found := 0
	must.Do(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (slices.Contains([]string{"../integration", "../examples", "../pipelines/dapple"}, path) || entry.Name() == "internal" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "\nfunc Example") {
			return err
		}
		found++
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		must.Hold(t, strings.HasSuffix(file.Name.Name, "_test"), "%s has Examples in package %s: they use names that nobody outside has", path, file.Name.Name)
		for _, i := range file.Imports {
			must.Hold(t, !strings.Contains(i.Path.Value, module+"internal/") && !strings.Contains(i.Path.Value, "/internal/"),
				"%s has Examples and imports %s", path, i.Path.Value)
		}
		must.Hold(t, !strings.Contains(string(text), "ptest.Run") || strings.Contains(string(text), "passert."),
			"%s runs a pipeline and asserts nothing of it", path)
		if testing.Short() {
			return nil
		}
		vet := exec.CommandContext(t.Context(), "go", "vet", strings.TrimPrefix(path, "../"))
		vet.Dir = ".."
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("%s does not compile without other files of its package: %v\n%s", path, err, out)
		}
		return nil
	}))
	must.Hold(t, found >= 15, "%d files with Examples were found", found)
}
