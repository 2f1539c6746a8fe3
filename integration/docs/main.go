// Command docs writes docs/reference from the program's own tables: its help, the keys of the domain file, and the
// statement of a release.
//
//	make docs
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/schema"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "docs: want the root of the repository and the built command; run make docs")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func write(root, command string) error {
	all, err := references(root, command)
	if err != nil {
		return err
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// made ends the head of each page.
const made = "Made by `make docs` from the program itself. Edit the program, not this page.\n"

// references returns the files of docs/reference by path.
func references(root, command string) (map[string]string, error) {
	commands, err := commandPage(command)
	if err != nil {
		return nil, err
	}
	domain, err := domainPage(root)
	if err != nil {
		return nil, err
	}
	release, err := releasePage(root)
	if err != nil {
		return nil, err
	}
	results, err := resultPage(root)
	if err != nil {
		return nil, err
	}
	editors, err := schema.JSONSchema()
	return map[string]string{
		"docs/reference/commands.md": commands, "docs/reference/domain-file.md": domain, "docs/reference/domain-file.schema.json": string(editors),
		"docs/reference/release.md": release, "docs/reference/results.md": results,
	}, err
}

var listed = regexp.MustCompile(`(?m)^  ([a-z]+) +[a-z]`)

// commandPage is what the command says of itself and of each of its commands.
func commandPage(command string) (string, error) {
	help := func(args ...string) (string, error) {
		out, err := exec.Command(command, append([]string{"help"}, args...)...).Output()
		if err != nil {
			return "", fmt.Errorf("dapple help %s: %w", strings.Join(args, " "), err)
		}
		return "```text\n" + strings.TrimSpace(string(out)) + "\n```\n", nil
	}
	all, err := help()
	if err != nil {
		return "", err
	}
	const operate = "../howto/operate" + ".md" // from docs/reference
	text := "# Commands and flags\n\n" + made + "\n" + all + "\nExit status: [what it means, and what a scheduler does](" + operate + "#exit-status).\n"
	var names []string
	for _, m := range listed.FindAllStringSubmatch(all, -1) {
		if m[1] != "help" { // which has no help of its own
			names = append(names, m[1])
		}
	}
	for _, name := range append(names, "engines") {
		said, err := help(name)
		if err != nil {
			return "", err
		}
		text += "\n## " + name + "\n\n" + said
	}
	return text, nil
}

func domainPage(root string) (string, error) {
	example, err := os.ReadFile(filepath.Join(root, "examples", "visits", "people.yaml"))
	if err != nil {
		return "", err
	}
	var keys bytes.Buffer
	err = schema.WriteReference(&keys)
	return "# The domain file\n\n" + made + "`dapple help domain` prints the same; `dapple help schema` is a [JSON Schema](domain-file.schema.json) for editors, which files that dapple writes name in their first line.\n\n```text\n" +
		strings.TrimSpace(keys.String()) + "\n```\n\n## An example\n\n```yaml\n" + string(example) + "```\n", err
}

// files are the files of a release. A test compares them with a real one.
var files = [][2]string{
	{"_report.html", "the page to open first: promise, budget, errors and pictures, for a browser without a network"},
	{"_privacy.json", "the statement: the same for machines, with every charge as an exact fraction"},
	{"_model.arrow", "the model, an Arrow file: `dapple sample` draws rows from it"},
	{"_marginals.parquet", "the share of every cell with its standard error, for analysts"},
	{"_errors.json", "what standard errors of any query follow from: `dapple query` reads it"},
	{"_answers.parquet", "only of a workload with linear queries: the answer to each with its error"},
	{"_manifest.json", "SHA-256 and size of every file: `dapple verify` compares them"},
}

// answers are the columns of _answers.parquet, with their types.
var answers = [][3]string{
	{"id", "text", "the number of the entry in the domain file's `workload`, with the number of the query if the entry has several: `3.2`"},
	{"query", "text", "the entry"},
	{"value", "number", "the answer of the model, in people"},
	{"standard_error", "number", "of the value"},
	{"low", "number", "lower end of the 95 % interval"},
	{"high", "number", "upper end"},
	{"from", "text", "measured: noisy answers to the queries were released; modelled: the error follows from the largest of all errors"},
}

func releasePage(root string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# The statement and the files of a release\n\n%s\n`out/` holds rows alone, `part-00000-of-00001.parquet` and so on. `out.release/` holds the rest:\n\n| file | content |\n|---|---|\n", made)
	for _, f := range files {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f[0], f[1])
	}
	b.WriteString("\n## Columns of `_answers.parquet`\n\nA row for each linear query, in the order of their columns.\n\n| column | type | meaning |\n|---|---|---|\n")
	for _, c := range answers {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c[0], c[1], c[2])
	}
	b.WriteString("\n## Keys of `_privacy.json`\n")
	for _, part := range []struct{ title, dir, name string }{
		{"The statement", "internal/release/report", "Privacy"}, {"The promise and its charges", "internal/dp/accountant", "Statement"},
		{"An entry of `ledger`", "internal/dp/accountant", "Line"}, {"`units`", "internal/release/report", "Units"}, {"`error`", "internal/release/report", "Errors"},
		{"`hashes`", "internal/release/report", "Hashes"}, {"An entry of `dictionary`", "internal/release/report", "Column"},
	} {
		rows, err := keysOf(filepath.Join(root, filepath.FromSlash(part.dir)), part.name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n### %s\n\n| key | type | meaning |\n|---|---|---|\n%s", part.title, rows)
	}
	return b.String(), nil
}

// resultPage is what --json writes.
func resultPage(root string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results as JSON\n\n%s\nWith `--json` a command writes one object to standard output in place of its text; with `--json=FILE` to a file, "+
		"beside its text. `check` and `evaluate` write figures of the true table, which are not private.\n", made)
	for _, part := range []struct{ title, dir, name string }{
		{"`dapple synth`", "internal/release/report", "SynthResult"}, {"`dapple sample`", "internal/release/report", "SampleResult"}, {"`dapple sample --draws`", "internal/release/report", "DrawsResult"}, {"`dapple verify`", "internal/release/report", "VerifyResult"},
		{"An entry of `answers` of `dapple query`", "internal/pipelines", "AnswerJSON"},
		{"`wrote`", "internal/release/report", "Wrote"}, {"`error`", "internal/release/report", "Errors"}, {"`dapple plan`", "internal/request/plan", "planJSON"},
	} {
		rows, err := keysOf(filepath.Join(root, filepath.FromSlash(part.dir)), part.name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n| key | type | meaning |\n|---|---|---|\n%s", part.title, rows)
	}
	return b.String(), nil
}

// keysOf returns a row for each JSON key of a struct: its name, type and comment.
func keysOf(dir, name string) (string, error) {
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	for _, path := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return "", err
		}
		object := file.Scope.Lookup(name)
		if object == nil || strings.HasSuffix(path, "_test.go") {
			continue
		}
		spec, ok := object.Decl.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			return rowsOf(s), nil
		}
	}
	return "", fmt.Errorf("%s: there is no struct %s", dir, name)
}

func rowsOf(s *ast.StructType) string {
	var b strings.Builder
	for _, f := range s.Fields.List {
		if f.Tag == nil || len(f.Names) == 0 {
			continue
		}
		key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		said := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		said = strings.TrimPrefix(strings.TrimPrefix(said, f.Names[0].Name+" "), "is ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, kind(f.Type), strings.ReplaceAll(said, "|", "\\|"))
	}
	return b.String()
}

// kind names a type as JSON has it.
func kind(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return kind(t.X)
	case *ast.ArrayType:
		return "list of " + kind(t.Elt)
	case *ast.MapType:
		return "map to " + kind(t.Value)
	case *ast.Ident:
		switch t.Name {
		case "string":
			return "text"
		case "bool":
			return "true or false"
		case "int", "int64", "float64":
			return "number"
		}
	}
	return "object"
}
