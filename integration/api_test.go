package integration

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// notOffered are ideas whose proofs do not hold here, or that callers would have to prove: composition over
// disjoint parts, groups, subsampling, sensitivities halved for "monotone" scores, switched-off noise.
var notOffered = regexp.MustCompile(`(?i)parallel|disjoint|group|subsampl|amplif|monoton|permuteandflip|noiseless|withoutnoise|disablenoise|insecure`)

// TestWhatIsNotOffered reads the exported names of everything that spends or draws.
func TestWhatIsNotOffered(t *testing.T) {
	seen := 0
	for _, dir := range []string{"dp", "dp/query", "internal/dp/internal/noise", "internal/dp/accountant", "internal/dp/mechanism", "internal/transforms/synth", "internal/transforms/private", "internal/transforms/counts"} {
		for name, at := range exported(t, filepath.Join("..", filepath.FromSlash(dir))) {
			seen++
			must.Hold(t, !notOffered.MatchString(name), "%s: %s is offered", at, name)
		}
	}
	must.Hold(t, seen >= 200 && notOffered.MatchString("ParallelComposition"), "%d exported names were read: the check is blind", seen)
}

// exported returns the exported names that a package declares, fields and methods included.
func exported(t *testing.T, dir string) map[string]token.Position {
	t.Helper()
	names, set := map[string]token.Position{}, token.NewFileSet()
	files := must.Value(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed := must.Value(parser.ParseFile(set, file, nil, parser.SkipObjectResolution))(t)
		note := func(id *ast.Ident) {
			if id.IsExported() {
				names[id.Name] = set.Position(id.Pos())
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				note(n.Name)
				return false
			case *ast.TypeSpec:
				note(n.Name)
			case *ast.ValueSpec:
				for _, id := range n.Names {
					note(id)
				}
			case *ast.Field:
				for _, id := range n.Names {
					note(id)
				}
			}
			return true
		})
	}
	return names
}

// TestNoPublicNoiseSeed: no parameter of a transform or a pipeline takes the seed of the noise. The seeds
// that there are belong to sampling and to solvers, which privacy does not depend on.
func TestNoPublicNoiseSeed(t *testing.T) {
	allowed := map[string]bool{"Seed": true, "SampleSeed": true, "HasSampleSeed": true, "SolverSeed": true}
	for _, dir := range []string{"transforms/synth", "internal/transforms/synth", "internal/transforms/private", "internal/transforms/counts", "pipelines", "internal/pipelines"} {
		for name, at := range exported(t, filepath.Join("..", filepath.FromSlash(dir))) {
			must.Hold(t, !strings.Contains(strings.ToLower(name), "seed") || allowed[name], "%s: a public name %s", at, name)
		}
		must.Do(t, filepath.WalkDir(filepath.Join("..", filepath.FromSlash(dir)), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			must.Hold(t, !strings.Contains(string(b), "mechanism.SeedFromBytes(") || filepath.Base(path) == "seed.go",
				"%s makes a seed of the noise from bytes", path)
			return err
		}))
	}
}

// TestOnlyBoundedUnitsCanBeCounted compiles a counting of records that were not bounded, and the reading of
// a private collection from outside: the compiler must refuse both, and accept the same with Bound.
func TestOnlyBoundedUnitsCanBeCounted(t *testing.T) {
	const program = `package integration

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

var _ = func(s beam.Scope, col beam.PCollection, d *domain.Domain, w query.Workload) {
	STATEMENT
}
`
	for statement, refusal := range map[string]string{
		"counts.Count(s, private.Bound(s, private.Encode(s, col, d, private.EncodeParams{}), private.BoundParams{}), w, counts.Params{})": "",
		"counts.Count(s, private.Encode(s, col, d, private.EncodeParams{}), w, counts.Params{})":                                          "cannot use",
		"counts.Count(s, col, w, counts.Params{})":                                                                                 "cannot use",
		"_ = private.Units{}; counts.Count(s, private.Units{Records: col}, w, counts.Params{})":                                    "unknown field",
		"beam.DropKey(s, private.Bound(s, private.Encode(s, col, d, private.EncodeParams{}), private.BoundParams{}).Collection())": "cannot use",
		"_ = counts.Count(s, private.Units{}, w, counts.Params{}).Collection().Raw()":                                              "undefined",
	} {
		output, err := build(t, strings.Replace(program, "STATEMENT", statement, 1))
		must.Hold(t, (err == nil) == (refusal == "") && strings.Contains(output, refusal), "%s: %v, want refusal %q\n%s", statement, err, refusal, output)
	}
}

// build compiles a file as if it were part of this package.
func build(t *testing.T, program string) (output string, err error) {
	t.Helper()
	here := must.Value(os.Getwd())(t)
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "attempt.go"), filepath.Join(dir, "overlay.json")
	table := must.Value(json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(here, "attempt.go"): source}}))(t)
	for path, content := range map[string][]byte{source: []byte(program), overlay: table} {
		must.Do(t, os.WriteFile(path, content, 0o600))
	}
	b, err := exec.Command("go", "build", "-overlay", overlay, ".").CombinedOutput()
	return string(b), err
}

// public are the packages that others can import, and why they would. Whatever else there is belongs below internal.
var public = map[string]string{
	"dp":                         "ε, δ and the neighbouring relation, which every call takes; the promise",
	"dp/domain":                  "the domain, which every call takes",
	"dp/query":                   "the workload, which Count and Solve take",
	"io/bigqueryio":              "tables of BigQuery, by a blank import",
	"io/csvio":                   "CSV, by a blank import",
	"io/gs":                      "Cloud Storage, by a blank import",
	"io/arrowio":                 "Arrow, by a blank import",
	"io/avroio":                  "Avro, by a blank import",
	"io/jsonio":                  "JSON lines, by a blank import",
	"io/parquetio":               "Parquet, by a blank import",
	"io/postgresio":              "tables of PostgreSQL, by a blank import",
	"io/s3":                      "Amazon S3 and stores like it, by a blank import",
	"io/schema":                  "domain files",
	"io/table":                   "tables by name; formats, places and stores of one's own",
	"pipelines":                  "whole runs, as the command makes them",
	"solver":                     "the problem, the curator, the result and the registration of a method of one's own",
	"solver/dpam":                "DPAM with settings, by name",
	"solver/dpfw":                "DPFW by itself, on counts",
	"transforms/discover":        "Discover: the domain of a table, found within a budget",
	"transforms/synth":           "Synthesize, and its five steps",
	"transforms/synth/synthtest": "tests of pipelines, which want dry rows",
	"transforms/tables":          "stores of releases, rows with their statement, structs from and to tables",
}

// TestParametersComeLast: a function takes its struct of parameters as its last argument, and there is one form of it, with
// parameters or without.
func TestParametersComeLast(t *testing.T) {
	t.Parallel()
	isParams := regexp.MustCompile(`(Params|Options|Settings|Config)$`)
	functions := 0
	for pkg := range public {
		files := must.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go")))(t)
		names := map[string]bool{}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed := must.Value(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() {
					continue
				}
				functions++
				if f.Recv == nil {
					names[f.Name.Name] = true
				}
				list := f.Type.Params.List
				for i, p := range list {
					s, ok := p.Type.(*ast.SelectorExpr)
					must.Hold(t, !ok || !isParams.MatchString(s.Sel.Name) || i >= len(list)-1, "%s.%s: its parameters are not its last argument", pkg, f.Name.Name)
					if id, ok := p.Type.(*ast.Ident); ok && isParams.MatchString(id.Name) && i < len(list)-1 {
						t.Errorf("%s.%s: its parameters are not its last argument", pkg, f.Name.Name)
					}
				}
			}
		}
		for name := range names {
			must.Hold(t, !names[name+"With"], "%s.%s and %sWith: one form is enough", pkg, name, name)
		}
	}
	must.Hold(t, functions >= 300, "%d functions were read: the check is blind", functions)
}

// TestPublicPackages: every package that others can import is on the list, and shows a first use that runs.
func TestPublicPackages(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for pkg := range goList(t, "Imports") {
		first, _, _ := strings.Cut(pkg, "/")
		sources := must.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go")))(t)
		if first == "examples" || first == "integration" || strings.Contains("/"+pkg+"/", "/internal/") || pkg == "pipelines/dapple" || len(sources) == 0 {
			continue
		}
		found[pkg] = true
		must.Hold(t, public[pkg] != "", "%s can be imported: move it below internal, or say who would import it", pkg)
		shown := false
		files := must.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*_test.go")))(t)
		for _, file := range files {
			text := must.Value(os.ReadFile(file))(t)
			shown = shown || strings.Contains(string(text), "\nfunc Example") && strings.Contains(string(text), "// Output:")
		}
		must.Hold(t, shown, "%s has no Example", pkg)
	}
	for pkg := range public {
		must.Hold(t, found[pkg], "there is no package %s", pkg)
	}
}

// TestAliasesShowTheirFields: the documentation of an alias does not show the fields of an internal type, so its comment does.
func TestAliasesShowTheirFields(t *testing.T) {
	found := 0
	for pkg := range public {
		for _, file := range filesOf(t, pkg) {
			for _, d := range file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				spec := g.Specs[0].(*ast.TypeSpec)
				of, isName := spec.Type.(*ast.SelectorExpr)
				if !spec.Assign.IsValid() || !isName {
					continue
				}
				for _, field := range fieldsOf(t, file, of) {
					if found++; !regexp.MustCompile(`\b` + field + `\b`).MatchString(g.Doc.Text()) {
						t.Errorf("%s.%s: its comment does not show the field %s", pkg, spec.Name.Name, field)
					}
				}
			}
		}
	}
	must.Hold(t, found >= 15, "%d fields were found", found)
}

// fieldsOf returns the exported fields of a struct of this module that a file names as package.Type.
func fieldsOf(t *testing.T, file *ast.File, name *ast.SelectorExpr) (fields []string) {
	t.Helper()
	for _, i := range file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		dir, own := strings.CutPrefix(path, module)
		if !own || path[strings.LastIndexByte(path, '/')+1:] != name.X.(*ast.Ident).Name {
			continue
		}
		for _, other := range filesOf(t, dir) {
			ast.Inspect(other, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok || spec.Name.Name != name.Sel.Name {
					return true
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, id := range f.Names {
							if id.IsExported() {
								fields = append(fields, id.Name)
							}
						}
					}
				}
				return false
			})
		}
	}
	return fields
}
