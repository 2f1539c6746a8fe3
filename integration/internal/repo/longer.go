package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Longer returns the tests of a directory that do less, or nothing, with -short: they look at testing.Short, or mention a
// function of the same directory's tests that does.
func Longer(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	mentions := map[string][]string{} // by function, methods under their names alone
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				ast.Inspect(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						mentions[f.Name.Name] = append(mentions[f.Name.Name], id.Name)
					}
					return true
				})
			}
		}
	}
	short := map[string]bool{"Short": true}
	for grown := true; grown; {
		grown = false
		for f, list := range mentions {
			if !short[f] && slices.ContainsFunc(list, func(name string) bool { return short[name] }) {
				short[f], grown = true, true
			}
		}
	}
	var names []string
	for f := range mentions {
		if short[f] && strings.HasPrefix(f, "Test") && f != "TestMain" {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	return names, nil
}
