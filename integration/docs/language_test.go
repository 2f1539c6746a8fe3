package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// avoided returns the words that the glossary says not to use, each with the word in its place.
func avoided(glossary string) map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(glossary) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[2]) == "not" {
			continue
		}
		for w := range strings.SplitSeq(cells[2], ",") {
			words[strings.TrimSpace(w)] = strings.TrimSpace(cells[0])
		}
	}
	return words
}

// strays returns the avoided words, or their plurals, that a text has, each with what is around it.
func strays(text string, words map[string]string) (found []string) {
	for w, say := range words {
		for _, at := range regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(w)+`s?\b`).FindAllStringIndex(text, -1) {
			found = append(found, "say "+say+", not "+w+": "+text[max(0, at[0]-30):min(len(text), at[1]+30)])
		}
	}
	return found
}

// riddle is an opening that makes a reader wait for the subject.
var riddle = regexp.MustCompile(`(?m)(?:^|[.!?] )(?:Of which|Those|What) (?:\w+ ){0,4}(?:is|are|was|has|have)\b.*`)

// TestLanguage: texts that the program prints use the words of the glossary, and their sentences begin with a subject.
func TestLanguage(t *testing.T) {
	words := avoided(page(t, "docs/explanation/glossary.md"))
	must.Need(t, len(words) >= 30, "%d words to avoid in the glossary", len(words))
	dapple := theCommand(t)
	said := func(dir string, args ...string) string {
		cmd := exec.Command(dapple, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "dapple %s: %v\n%s", strings.Join(args, " "), err, out)
		return string(out)
	}
	texts := map[string]string{}
	all := must.Value(references(root, dapple))(t)
	for name, text := range all {
		texts["reference of "+name] = text
	}
	if !testing.Short() {
		dir := t.TempDir()
		out, err := exec.Command(filepath.Join(built(t), "visits"), "-people", "500", "-seed", "1", "-out", filepath.Join(dir, "visits.csv")).CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
		texts["infer"] = said(dir, "infer", "--input=visits.csv", "--privacy_id=person_id", "--from_data", "--output=visits.yaml")
		texts["check"] = said(dir, "check", "--domain=visits.yaml", "--input=visits.csv")
		texts["plan"] = said(dir, "plan", "--domain=visits.yaml", "--epsilon=1", "--delta=1e-9", "--expected_rows=500")
		texts["synth"] = said(dir, "synth", "--domain=visits.yaml", "--input=visits.csv", "--output=out", "--epsilon=1", "--delta=1e-9", "--expected_rows=500")
		texts["sample"] = said(dir, "sample", "--model=out", "--output=more")
		texts["verify"] = said(dir, "verify", "out")
		texts["evaluate"] = said(dir, "evaluate", "--domain=visits.yaml", "--input=visits.csv", "--synthetic=out", "--html=compared.html")
		for _, name := range []string{"visits.yaml", "out.release/_report.html", "compared.html"} {
			b := must.Value(os.ReadFile(filepath.Join(dir, name)))(t)
			_, text, _ := strings.Cut(string(b), "</style>")
			if text == "" {
				text = string(b)
			}
			texts[name] = regexp.MustCompile(`<h[1-3][^>]*>.*?</h[1-3]>|<[^>]*>`).ReplaceAllString(text, " ")
		}
	}
	for name, text := range texts {
		for _, s := range strays(text, words) {
			t.Errorf("%s: %s", name, s)
		}
		for _, s := range riddle.FindAllString(text, -1) {
			t.Errorf("%s: begin with the subject: %s", name, s)
		}
	}
}

func TestStrays(t *testing.T) {
	words := avoided("| word | meaning | not |\n|---|---|---|\n| person | one | individual, data subject |\n")
	got := strays("Each individual counts. Individuals too, and data subjects; individuality does not.", words)
	must.Hold(t, len(got) == 3, "%q", got)
	must.Hold(t, riddle.FindString("It ends. Those that are left are counted.") != "" && riddle.FindString("It counts those that are left.") == "",
		"openings are not told apart")
}
