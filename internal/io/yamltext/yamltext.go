// Package yamltext writes texts as domain files have them. Proposals of these files and their private discovery share it.
package yamltext

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Quoted returns s in double quotes, with escapes for all that is not printable.
func Quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ' ' || unicode.IsPrint(r) && r != '\ufeff':
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// List returns a flow list of texts, each written by write.
func List(texts []string, write func(string) string) string {
	out := lists.Of(texts, write)
	return "[" + strings.Join(out, ", ") + "]"
}

// Other names the cell of values outside a list that has the usual name, "other", among its own; empty: it has not.
func Other(values []string) string {
	if !slices.Contains(values, "other") {
		return ""
	}
	name := "other value"
	for slices.Contains(values, name) {
		name += "_"
	}
	return name
}

// Schema is the address of the JSON Schema of domain files.
const Schema = "https://raw.githubusercontent.com/dapple-dp/dapple/main/docs/reference/domain-file.schema.json"

// ForEditors begins domain files that dapple writes: editors then complete and check their keys.
const ForEditors = "# yaml-language-server: $schema=" + Schema + "\n"
