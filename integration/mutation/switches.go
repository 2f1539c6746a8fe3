package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// acting is the environment variable that says which of the defects in a build is to act, by its number.
const acting = "DAPPLE_SEEDED_DEFECT"

// switches is added to every package with a defect.
const switches = `package %s

import (
	"os"
	"strconv"
)

var seededDefect, _ = strconv.Atoi(os.Getenv("` + acting + `"))
`

// block is the place of a function's body in its file, between the braces.
type block struct {
	from, to int
	results  bool
}

// switchable returns the body of the function that a defect changes, and that body with the defect. It returns none if the
// defect changes anything else, or if the new body cannot stand in a block of its own: labels belong to the whole
// function, and a bare return does not see results that a block declares again.
func (d defect) switchable(root string) (b block, body string, ok bool) {
	if path.Base(d.pkg()) == "integration" { // its tests read the source
		return block{}, "", false
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(d.file)))
	if err != nil {
		return block{}, "", false
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	at := bytes.Index(text, []byte(d.old))
	if err != nil || at < 0 {
		return block{}, "", false
	}
	for _, decl := range file.Decls {
		f, isFunc := decl.(*ast.FuncDecl)
		if !isFunc || f.Body == nil {
			continue
		}
		b = block{set.Position(f.Body.Lbrace).Offset + 1, set.Position(f.Body.Rbrace).Offset, f.Type.Results != nil}
		if at < b.from || at+len(d.old) > b.to {
			continue
		}
		body = string(text[b.from:at]) + d.new + string(text[at+len(d.old):b.to])
		return b, body, standsAlone(body, f.Type.Results)
	}
	return block{}, "", false
}

// standsAlone reports whether the statements of a function's body may stand in a block at its beginning.
func standsAlone(body string, results *ast.FieldList) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {"+body+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return false
	}
	alone := true
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			alone = false
		case *ast.ReturnStmt:
			alone = alone && (results == nil || len(n.Results) > 0)
		case *ast.FuncLit:
			return false
		}
		return true
	})
	return alone
}

// switchIn builds defects into the copy, each in a block at the beginning of its function that acts if its number is
// chosen. It returns those that need a build of their own.
func (w *workspace) switchIn(list []defect) (single []defect, err error) {
	blocks := map[string]map[block]string{}
	for _, d := range list {
		b, body, ok := d.switchable(w.dir)
		if !ok {
			single = append(single, d)
			continue
		}
		if blocks[d.file] == nil {
			blocks[d.file] = map[block]string{}
		}
		if !b.results {
			body += "\nreturn"
		}
		blocks[d.file][b] += fmt.Sprintf("\nif seededDefect == %d {\n//line %s:1\n%s\n}\n", d.number, d.name, body)
	}
	for name, changes := range blocks {
		file := filepath.Join(w.dir, filepath.FromSlash(name))
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var places []block
		for b := range changes {
			places = append(places, b)
		}
		slices.SortFunc(places, func(a, b block) int { return b.from - a.from }) // from the end: offsets stay true
		for _, b := range places {
			text = slices.Concat(text[:b.from], []byte(changes[b]), text[b.from:])
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
		added := filepath.Join(filepath.Dir(file), "seededdefect.go")
		if err := os.WriteFile(added, fmt.Appendf(nil, switches, parsed.Name.Name), 0o644); err != nil {
			return nil, err
		}
	}
	return single, nil
}
