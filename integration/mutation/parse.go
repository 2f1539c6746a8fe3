package main

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed defects/*.txt
var texts embed.FS

// themes are the files of defects, in the order of the layers.
var themes = []string{"samplers", "randomness", "accounting", "mechanisms", "algorithms", "pipeline", "releases", "reading"}

// all returns every defect, in the order of the layers.
func all() (list []defect, err error) {
	for _, theme := range themes {
		text, err := texts.ReadFile("defects/" + theme + ".txt")
		if err != nil {
			return nil, err
		}
		blocks := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n\n")
		for _, block := range blocks[1:] { // behind what the file is about
			d, err := parse(block)
			if err != nil {
				return nil, fmt.Errorf("%s.txt: %q: %w", theme, d.name, err)
			}
			d.number = len(list) + 1
			list = append(list, d)
		}
	}
	return list, nil
}

// parse reads a defect: its name, file and test in a line each, lines to replace behind a minus, and those in their place
// behind a plus. The last line is a part of one unless it is empty.
func parse(block string) (d defect, err error) {
	lines := strings.Split(block, "\n")
	d.name = lines[0]
	if len(lines) < 4 {
		return d, fmt.Errorf("want a name, a file, a test and lines to replace")
	}
	d.file, d.test = lines[1], lines[2]
	if dir, test, ok := strings.Cut(d.test, " "); ok {
		d.dir, d.test = dir, test
	}
	var old, new []string
	for _, line := range lines[3:] {
		switch {
		case strings.HasPrefix(line, "-") && len(new) == 0:
			old = append(old, line[1:])
		case strings.HasPrefix(line, "+"):
			new = append(new, line[1:])
		default:
			return d, fmt.Errorf("line %q: want lines behind -, then lines behind +", line)
		}
	}
	d.old, d.new = strings.Join(old, "\n"), strings.Join(new, "\n")
	if d.old == "" || d.old == d.new {
		return d, fmt.Errorf("it replaces nothing")
	}
	return d, nil
}
