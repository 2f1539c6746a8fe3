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

// lineWidth is the length of a line from which on a column's text goes on in the next one.
const lineWidth = 100

// folded breaks the text of a column behind commas outside of quotes.
func folded(text string) string {
	var b strings.Builder
	width, from, inQuotes := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && inQuotes:
			i++
		case c == '"':
			inQuotes = !inQuotes
		}
		if i+1 < len(text) && (text[i] != ',' || inQuotes) {
			continue
		}
		part := text[from:min(i+1, len(text))]
		if n := utf8.RuneCountInString(part); width > 0 && width+n > lineWidth {
			part = "\n      " + strings.TrimLeft(part, " ")
			width = utf8.RuneCountInString(part)
		} else {
			width += n
		}
		b.WriteString(part)
		from = i + 1
	}
	return b.String()
}
