package integration

import (
	"regexp"
	"strings"
	"unicode"
)

// sentences returns what a Markdown text says, in order: the sentences of its paragraphs and list items, and each row of
// its tables as one, its cells joined by " — ". Headings, heads of tables and code are left out.
func sentences(markdown string) (all []string) {
	var block []string
	end := func() {
		all = append(all, split(plain(strings.Join(block, " ")))...)
		block = nil
	}
	lines := strings.Split(markdown, "\n")
	code := false
	for i, line := range lines {
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "> "))
		switch {
		case strings.HasPrefix(text, "```"):
			code = !code
			end()
		case code:
		case text == "" && len(block) > 0 && strings.ContainsAny(lastRune(block[len(block)-1]), ":,"):
			// A formula or a list goes on with the sentence.
		case text == "" || strings.HasPrefix(text, "#"):
			end()
		case strings.HasPrefix(text, "|"):
			end()
			head := strings.HasPrefix(text, "|---") || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|---")
			if cells := strings.Split(strings.Trim(text, "|"), "|"); !head {
				for k := range cells {
					cells[k] = strings.TrimSpace(cells[k])
				}
				all = append(all, plain(strings.Join(cells, " — ")))
			}
		case item.MatchString(text):
			end()
			block = append(block, item.ReplaceAllString(text, ""))
		default:
			block = append(block, text)
		}
	}
	end()
	return all
}

func lastRune(s string) string {
	r := []rune(s)
	return string(r[len(r)-1:])
}

var (
	item     = regexp.MustCompile(`^([*-]|\d+\.) `)
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// plain returns text without emphasis, links and repeated blanks.
func plain(text string) string {
	text = linkText.ReplaceAllString(text, "$1")
	text = strings.NewReplacer("**", "", "*", "", "\\", "").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// split divides a paragraph after each full stop, question or exclamation mark that a blank and no lower-case letter
// follow. A single word, such as a label, belongs to what follows it.
func split(text string) (all []string) {
	runes, from := []rune(text), 0
	for i := 0; i+2 < len(runes); i++ {
		if !strings.ContainsRune(".!?", runes[i]) {
			continue
		}
		j := i + 1
		for j < len(runes) && strings.ContainsRune(`)"”`, runes[j]) {
			j++
		}
		if j+1 >= len(runes) || runes[j] != ' ' || unicode.IsLower(runes[j+1]) || !strings.Contains(string(runes[from:i]), " ") {
			continue
		}
		all = append(all, string(runes[from:j]))
		from = j + 1
	}
	if rest := strings.TrimSpace(string(runes[from:])); rest != "" {
		all = append(all, rest)
	}
	return all
}

// uncommented returns the text of the Go comments of a file whose lines begin with "//".
func uncommented(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if text, ok := strings.CutPrefix(line, "//"); ok {
			b.WriteString(strings.TrimPrefix(text, " "))
		}
	}
	return b.String()
}
