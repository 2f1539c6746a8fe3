package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// mostNames and mostPackages bound what others may come to depend on. They go down when a name goes; a new public name
// needs one that goes.
const (
	mostNames    = 784
	mostPackages = 22
)

// TestPublicNames counts what the public packages declare: types, functions, constants, variables, and the methods and
// fields of exported types. An alias is one name.
func TestPublicNames(t *testing.T) {
	t.Parallel()
	var all []string
	for pkg := range public {
		names := publicNames(t, pkg)
		t.Logf("%-28s %4d", pkg, len(names))
		for _, name := range names {
			all = append(all, pkg+"."+name)
		}
	}
	slices.Sort(all)
	t.Logf("%d names in %d packages", len(all), len(public))
	must.Hold(t, len(all) <= mostNames && len(public) <= mostPackages,
		"%d names in %d public packages, at most %d in %d: unexport one, or move it below internal\n%s", len(all), len(public), mostNames, mostPackages, strings.Join(all, "\n"))
	must.Hold(t, len(all) >= 300, "%d names: the count is blind", len(all))
}

// publicNames returns what a package declares for others, as Name, Type.Method and Type.Field.
func publicNames(t *testing.T, pkg string) (names []string) {
	t.Helper()
	note := func(of string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, of+id.Name)
			}
		}
	}
	for _, file := range sourcesOf(t, pkg) {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					note("", d.Name)
				} else if of := receiver(d); ast.IsExported(of) {
					note(of+".", d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						note("", spec.Names...)
					case *ast.TypeSpec:
						if !spec.Name.IsExported() {
							continue
						}
						note("", spec.Name)
						ast.Inspect(spec.Type, func(n ast.Node) bool {
							if f, ok := n.(*ast.Field); ok {
								note(spec.Name.Name+".", f.Names...)
							}
							_, isFunction := n.(*ast.FuncType)
							return !isFunction
						})
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) (name string) {
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// filesOf parses the files of a package of this module, tests included.
func filesOf(t *testing.T, pkg string) []*ast.File {
	return append(sourcesOf(t, pkg), parse(t, pkg, func(name string) bool { return strings.HasSuffix(name, "_test.go") })...)
}

// sourcesOf parses the files of a package that are no tests.
func sourcesOf(t *testing.T, pkg string) []*ast.File {
	return parse(t, pkg, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
}

func parse(t *testing.T, pkg string, wanted func(name string) bool) (list []*ast.File) {
	t.Helper()
	names := must.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go")))(t)
	for _, name := range names {
		if !wanted(name) {
			continue
		}
		file := must.Value(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments))(t)
		list = append(list, file)
	}
	return list
}
