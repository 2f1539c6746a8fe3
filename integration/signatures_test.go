package integration

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSignaturesCanBeNamed: whoever calls a public function, fills a public struct or writes a public interface can name each
// type that it takes. A type below internal has a public alias, or no public name takes it.
func TestSignaturesCanBeNamed(t *testing.T) {
	t.Parallel()
	packages := publicTypes(t)
	aliased := map[types.Object]bool{}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			if o, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && o.IsAlias() {
				if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
					aliased[n.Origin().Obj()] = true
				}
			}
		}
	}
	w := &signatures{named: func(o *types.TypeName) bool {
		path, own := strings.CutPrefix(o.Pkg().Path(), module)
		return !own || aliased[o] || o.Exported() && public[path] != ""
	}}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				w.object(strings.TrimPrefix(pkg.Path(), module)+"."+name, o)
			}
		}
	}
	slices.Sort(w.faults)
	for _, fault := range w.faults {
		t.Error(fault)
	}
	must.Hold(t, w.seen >= 2000, "%d types were looked at: the check is blind", w.seen)
}

// signatures walks what public names take.
type signatures struct {
	named  func(*types.TypeName) bool // whether a stranger can name it
	seen   int
	faults []string
}

func (w *signatures) object(at string, o types.Object) {
	switch o := o.(type) {
	case *types.Func:
		w.takes(at, o.Signature())
	case *types.Var:
		w.takes(at, o.Type())
	case *types.TypeName:
		n, ok := types.Unalias(o.Type()).(*types.Named)
		if !ok {
			return
		}
		for m := range n.Methods() {
			if m.Exported() {
				w.takes(at+"."+m.Name(), m.Signature())
			}
		}
		w.takes(at, n.Underlying())
	}
}

// takes notes each type that cannot be named among parameters, fields and methods of interfaces. What a function returns can be
// used without its name.
func (w *signatures) takes(at string, t types.Type) {
	w.seen++
	switch t := t.(type) {
	case *types.Alias:
		if o := t.Obj(); !o.Exported() || o.Pkg() == nil || !w.named(o) {
			w.takes(at, t.Rhs())
		}
	case *types.Named:
		o := t.Obj()
		switch u := t.Underlying().(type) {
		case *types.Basic: // a constant will do
		case *types.Interface: // a type with these methods will do
			if o.Pkg() != nil && !w.named(o) {
				w.takes(at, u)
			}
		default:
			if o.Pkg() == nil || w.named(o) {
				break
			}
			w.faults = append(w.faults, fmt.Sprintf("%s takes %s, which nobody outside can name", at, types.TypeString(t, nil)))
		}
		for a := range t.TypeArgs().Types() {
			w.takes(at, a)
		}
	case *types.Signature:
		for p := range t.Params().Variables() {
			w.takes(at, p.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.field(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.takes(at+"."+m.Name(), m.Signature())
			for r := range m.Signature().Results().Variables() { // who writes the interface returns it
				w.takes(at+"."+m.Name(), r.Type())
			}
		}
	case *types.Map:
		w.takes(at, t.Key())
		w.takes(at, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.takes(at, t.Elem())
	}
}

// field looks into a struct, which can be set in place and read without its name. Structs that runs return hold such lists too.
func (w *signatures) field(at string, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); !ok || !w.named(n.Obj()) {
			w.takes(at, u)
		}
	case *types.Pointer:
		w.field(at, u.Elem())
	case *types.Slice:
		w.field(at, u.Elem())
	default:
		w.takes(at, t)
	}
}

// publicTypes returns the public packages as the compiler has them.
func publicTypes(t *testing.T) (packages []*types.Package) {
	t.Helper()
	args := []string{"list", "-C", "..", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for pkg := range public {
		args = append(args, "./"+pkg)
	}
	out, err := exec.Command("go", args...).Output()
	must.Need(t, err == nil, "go list: %v", err)
	compiled := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[path] = file
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	for pkg := range public {
		p, err := from.Import(module + pkg)
		must.Need(t, err == nil, "%v", err)
		packages = append(packages, p)
	}
	return packages
}
