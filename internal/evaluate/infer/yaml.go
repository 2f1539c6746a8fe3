package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// bare matches texts that mean themselves inside a flow mapping of YAML.
var bare = regexp.MustCompile(`^(-?[0-9]|[A-Za-z])[A-Za-z0-9_.-]*( [A-Za-z0-9_.-]*[A-Za-z0-9_.])*$`)

// plain quotes a text for YAML if it has to be.
func plain(s string) string {
	if bare.MatchString(s) && !slices.Contains([]string{"null", "Null", "NULL"}, s) {
		return s
	}
	return quoted(s)
}

// quoted returns s in double quotes, with escapes for all that is not printable.
func quoted(s string) string {
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

func list(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = plain(v)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
