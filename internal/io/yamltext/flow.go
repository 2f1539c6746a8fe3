package yamltext

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// bare matches texts that mean themselves inside a flow mapping of YAML.
var bare = regexp.MustCompile(`^(-?[0-9]|[A-Za-z])[A-Za-z0-9_.-]*( [A-Za-z0-9_.-]*[A-Za-z0-9_.])*$`)

// Plain quotes a text for YAML if it has to be.
func Plain(s string) string {
	if bare.MatchString(s) && !slices.Contains([]string{"null", "Null", "NULL"}, s) {
		return s
	}
	return Quoted(s)
}

// Column writes the line of a column, whose keys are written already, with what the reader has to decide. One that is left out is a comment.
func Column(keys string, out bool, review string) string {
	text := folded("  - {" + keys + "}")
	if out { // a comment has one line
		text = "  # - {" + keys + "}"
	}
	if review != "" {
		text += "  # review: " + review
	}
	return text + "\n"
}

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
