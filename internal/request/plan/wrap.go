package plan

import (
	"strings"
	"unicode/utf8"
)

// lineWidth is what lines of a plan are broken at, in characters.
const lineWidth = 110

// wrap breaks long lines at blanks. What follows stands below the text of its line: heads and notes begin at column 10,
// and what is told of a method, a charge or a column at column 15.
func wrap(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		indent := strings.Repeat(" ", 10)
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, indent) {
			indent = strings.Repeat(" ", 15)
		}
		b.WriteString(broken(strings.TrimSuffix(line, "\n"), indent))
		b.WriteString("\n")
	}
	return b.String()
}

// broken breaks a line. Runs of blanks, which columns are made of, stay where nothing is broken.
func broken(line, indent string) string {
	for begin := 0; ; {
		rest := line[begin:]
		if utf8.RuneCountInString(rest) <= lineWidth {
			return line
		}
		cut, width, inText := -1, 0, false
		for i, r := range rest {
			if inText = inText || width >= len(indent); r == ' ' && inText && (width <= lineWidth || cut < 0) {
				cut = i
			}
			width++
		}
		if cut < 0 {
			return line
		}
		end := begin + len(strings.TrimRight(rest[:cut], " "))
		line = line[:end] + "\n" + indent + strings.TrimLeft(rest[cut:], " ")
		begin = end + 1
	}
}
