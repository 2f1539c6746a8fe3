package main

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// stilted are phrases in place of a noun. Go's own encoding/ and net/ have .08 of them in 1,000 words, gonum .12 at most.
var stilted = regexp.MustCompile(`(?i)\b(?:that of|those of|of which|of whom|there is none|there are none)\b`)

// mostStilted is how many of them a room may have in 1,000 words of comments and texts.
const mostStilted = .5

// rooms are the folders whose comments are counted, the longest that fits for each file, below internal or not.
var rooms = []string{"dp", "internal/kit", "internal/model", "internal/release", "internal/request", "internal/testkit", "solver", "io", "transforms", "pipelines", "examples", "integration", "integration/research", "integration/services", "docs"}

// TestPhrases: comments, errors and help, and pages, say the noun again in place of "that of" and its like.
func TestPhrases(t *testing.T) {
	found, words := map[string][]string{}, map[string]int{}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil || e.IsDir() && (rel == ".git" || rel == "bin" || rel == "out"):
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		case e.IsDir() || !strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, ".md") || rel == "integration/docs/phrases_test.go":
			return nil
		}
		room := "."
		for _, r := range rooms {
			if (strings.HasPrefix(rel, r+"/") || strings.HasPrefix(rel, "internal/"+r+"/")) && (room == "." || len(r) > len(room)) {
				room = r
			}
		}
		text, err := prose(path)
		words[room] += len(strings.Fields(text))
		for _, at := range stilted.FindAllStringIndex(text, -1) {
			found[room] = append(found[room], rel+": "+text[max(0, at[0]-40):min(len(text), at[1]+30)])
		}
		return err
	})
	must.Need(t, err == nil && words["dp"] >= 10_000, "%d words in dp, %v: the test is blind", words["dp"], err)
	for room, n := range words {
		if per := float64(len(found[room])) * 1000 / float64(n); n > 1000 && per > mostStilted {
			t.Errorf("%s: %.2f stilted phrases in 1,000 words, at most %g; say the noun again:\n  %s", room, per, mostStilted, strings.Join(found[room], "\n  "))
		}
	}
}

var (
	comment = regexp.MustCompile(`(?:^|\s)//(?:\s|$)(.*)`)
	literal = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")
)

// prose returns the comments and string literals of a file of Go, or the whole of a page.
func prose(path string) (string, error) {
	if strings.HasSuffix(path, ".md") {
		text, err := os.ReadFile(path)
		return strings.ToValidUTF8(string(text), "?"), err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it is only read
	var b strings.Builder
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := comment.FindStringSubmatch(lines.Text()); m != nil {
			b.WriteString(m[1] + " ") // sentences run over the ends of lines
			continue
		}
		for _, l := range literal.FindAllString(lines.Text(), -1) {
			b.WriteString(l + " . ")
		}
	}
	return b.String(), lines.Err()
}

func TestProse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	must.Do(t, os.WriteFile(path, []byte("// The law is that\n// of noise.\nvar x = \"those of y\" // there is none\n"), 0o600))
	text, err := prose(path)
	got := stilted.FindAllString(text, -1)
	must.Hold(t, err == nil && len(got) == 2, "%q in %q, %v", got, text, err)
}
