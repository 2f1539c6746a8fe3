package infer

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

// bare matches texts that mean themselves inside a flow mapping of YAML.
var bare = regexp.MustCompile(`^(-?[0-9]|[A-Za-z])[A-Za-z0-9_.-]*( [A-Za-z0-9_.-]*[A-Za-z0-9_.])*$`)

// plain quotes a text for YAML if it has to be.
func plain(s string) string {
	if bare.MatchString(s) && !slices.Contains([]string{"null", "Null", "NULL"}, s) {
		return s
	}
	return yamltext.Quoted(s)
}

func list(values []string) string { return yamltext.List(values, plain) }

// lineWidth is the length of a column's text up to which it stands in one line.
const lineWidth = 100

// split returns the entries of a flow mapping's text, or of a flow list's: the parts between commas that are in no
// brackets and no quotes.
func split(flow string) (entries []string) {
	depth, from, inQuotes := 0, 0, false
	for i := 0; i < len(flow); i++ {
		switch c := flow[i]; {
		case c == '\\' && inQuotes:
			i++
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			entries, from = append(entries, strings.TrimSpace(flow[from:i])), i+1
		}
	}
	return append(entries, strings.TrimSpace(flow[from:]))
}

// block writes the entries of a column in block style, one a line, and long lists over several lines.
func block(head string, entries []string, review string) string {
	var b strings.Builder
	indent := strings.Replace(strings.Repeat(" ", len(head)), "    ", head[:len(head)-2]+"  ", 1)
	b.WriteString(head)
	for i, e := range entries {
		if i > 0 {
			b.WriteString(indent)
		}
		b.WriteString(folded(e, indent+"  "))
		if i == 0 {
			b.WriteString(review)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// folded breaks a list that is too long for a line.
func folded(entry, indent string) string {
	key, items, isList := strings.Cut(entry, ": [")
	if !isList || !strings.HasSuffix(items, "]") || utf8.RuneCountInString(indent+entry) <= lineWidth {
		return entry
	}
	var b strings.Builder
	b.WriteString(key + ": [")
	width := lineWidth // so that the first item begins a line
	for i, item := range split(strings.TrimSuffix(items, "]")) {
		if i > 0 {
			b.WriteString(",")
		}
		if n := utf8.RuneCountInString(item) + 2; width+n > lineWidth {
			b.WriteString("\n" + indent)
			width = len(indent) + n
		} else {
			b.WriteString(" ")
			width += n
		}
		b.WriteString(item)
	}
	return b.String() + "]"
}
