// Package yamltext writes texts as YAML has them. Proposals of domain files and their private discovery share it.
package yamltext

import (
	"fmt"
	"strings"
	"unicode"
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
