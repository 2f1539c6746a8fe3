package main

import (
	"regexp"
	"slices"
	"strings"
)

// block is a fenced block of a Markdown page.
type block struct {
	line   int
	lang   string
	marks  []string // words behind the language: exact, elsewhere, file=NAME
	text   string
	output *block // the block of text that follows a block of commands
}

func (b block) marked(mark string) bool { return slices.Contains(b.marks, mark) }

// file is the name that a block is kept under; empty: none.
func (b block) file() string {
	for _, m := range b.marks {
		if name, ok := strings.CutPrefix(m, "file="); ok {
			return name
		}
	}
	return ""
}

// blocksOf returns the fenced blocks of a page in order.
func blocksOf(page string) (all []block) {
	var open *block
	commands := -1 // the block of commands since which there was no other
	for i, line := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			words := append(strings.Fields(fence), "")
			open = &block{line: i + 1, lang: words[0], marks: words[1:]}
		case isFence:
			if open.lang == "text" && commands >= 0 {
				all[commands].output, commands = open, -1
			} else {
				all = append(all, *open)
				if commands = -1; open.lang == "sh" {
					commands = len(all) - 1
				}
			}
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return all
}

var number = regexp.MustCompile(`\d[\d.,]*`)

// missing returns the lines of an output block that a run did not print, in their order. Numbers stand for any number,
// since noise differs, unless the block is marked exact; … stands for any text.
func missing(want block, printed string) (lines []string) {
	rest := strings.Split(printed, "\n")
	for _, line := range strings.Split(strings.TrimRight(want.text, "\n"), "\n") {
		pattern := regexp.QuoteMeta(strings.TrimRight(line, " "))
		if !want.marked("exact") {
			pattern = number.ReplaceAllString(strings.ReplaceAll(pattern, `\.`, "."), `[\d.,]+`)
		}
		pattern = strings.ReplaceAll(pattern, "…", ".*")
		re := regexp.MustCompile("^" + pattern + `\s*$`)
		k := slices.IndexFunc(rest, re.MatchString)
		if k < 0 {
			lines = append(lines, line)
			continue
		}
		rest = rest[k+1:]
	}
	return lines
}
