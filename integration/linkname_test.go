package integration

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestPrivateNameOfBeam: the command links to a variable that Beam exports nowhere, and reads its first fields
// (pipelines/dapple/metrics.go). A new Beam that renames it stops the build with words about relocations: this test says
// what to do. It reads source alone, so that it runs where the command does not link.
func TestPrivateNameOfBeam(t *testing.T) {
	const mend = "; read how harness/monitoring.go of the new Beam makes short IDs of metrics. " +
		"If they no longer begin at 1 for each worker, delete pipelines/dapple/metrics.go and its call; else mend the name, the fields of shortIDs and layoutOf there"
	list := exec.Command("go", "list", "-m", "-f", "{{.Version}}\t{{.Dir}}", "github.com/apache/beam/sdks/v2")
	out := must.Value(list.Output())(t)
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	own := must.Value(os.ReadFile("../pipelines/dapple/metrics.go"))(t)
	want := `const layoutOf = "` + strings.TrimPrefix(version, "v") + `"`
	must.Hold(t, strings.Contains(string(own), want), "go.mod has Beam %s, and metrics.go does not say %s%s", version, want, mend)
	files := token.NewFileSet()
	source, err := parser.ParseFile(files, filepath.Join(dir, "go/pkg/beam/core/runtime/harness/monitoring.go"), nil, 0)
	must.Need(t, err == nil, "%v%s", err, mend)
	variable, fields := "", ""
	for _, d := range source.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				if s.Names[0].Name == "defaultShortIDCache" && s.Type != nil {
					variable = printed(files, s.Type)
				}
			case *ast.TypeSpec:
				if fs, ok := s.Type.(*ast.StructType); ok && s.Name.Name == "shortIDCache" {
					for _, f := range fs.Fields.List {
						fields += printed(files, f.Type) + "; "
					}
				}
			}
		}
	}
	if want := "sync.Mutex; map[shortKey]string; map[string]*pipepb.MonitoringInfo; int64; "; variable != "*shortIDCache" || fields != want {
		t.Errorf("Beam %s has defaultShortIDCache of type %q with fields %q, want *shortIDCache with %q%s", version, variable, fields, want, mend)
	}
}

// TestNoWrapperOfBeam: one call of Beam's register.DoFnNxM makes the command 8.6 MB larger. Package dofn and beam.RegisterDoFn do the same.
func TestNoWrapperOfBeam(t *testing.T) {
	call := regexp.MustCompile(`\n[^/\n]*\bregister\.(DoFn|Combiner)\d`)
	for _, room := range []string{"internal", "io", "pipelines", "solver", "transforms"} {
		for name, source := range sources(t, filepath.Join("..", room)) {
			must.Hold(t, !call.MatchString(source) || strings.Contains(name, "testkit"),
				"%s registers a DoFn by Beam's wrappers; call beam.RegisterDoFn, or dofn.Register if it is called for each record", name)
		}
	}
}

// sources returns the Go files below a directory, but tests.
func sources(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		all[name] = string(b)
		return err
	})
	must.Need(t, err == nil && len(all) != 0, "%v, %v", len(all), err)
	return all
}

func printed(files *token.FileSet, e ast.Expr) string {
	var b bytes.Buffer
	_ = format.Node(&b, files, e) // to a buffer
	return b.String()
}
