package mechanism

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestContracts: the comment of every method that answers from private counts says what it relies on, what it
// guarantees, how it rounds and whose theorem that is.
func TestContracts(t *testing.T) {
	file := must.Value(parser.ParseFile(token.NewFileSet(), "curator.go", nil, parser.ParseComments))(t)
	found := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || !f.Name.IsExported() || f.Name.Name == "Budget" {
			continue
		}
		found++
		for _, part := range []string{"precondition", "guarantee", "rounding", "source"} {
			must.Hold(t, strings.Contains(strings.ToLower(f.Doc.Text()), part), "%s: the comment has no %s", f.Name.Name, part)
		}
	}
	must.Hold(t, found >= 9, "%d methods were found", found)
}
