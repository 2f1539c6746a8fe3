package integration

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// register is the file that says of every sentence of the texts what shows it, or that it promises nothing.
const register = "dp/CLAIMS.md"

// promising are the texts that a reader may hold dapple to.
var promising = []string{"README.md", "dp/PRIVACY.md", "dp/doc.go", "internal/report/promises.md"}

// claim is a line of the register.
type claim struct {
	sentence string
	evidence []string // none: the sentence promises nothing
	limits   string
}

// howTo ends the message of a fault.
const howTo = "\nEvery sentence of README.md, dp/PRIVACY.md, dp/doc.go and internal/report/promises.md has a line in dp/CLAIMS.md, in the section of its text: in the " +
	"table, with the evidence and its limits, if it promises anything, or else in the list below. Copy the sentence as it stands here. " +
	"The head of dp/CLAIMS.md says how evidence is written."

// TestClaims: every sentence of the texts is registered, nothing is registered that they do not say, and all evidence is
// there.
func TestClaims(t *testing.T) {
	registered := claimsIn(string(read(t, register)))
	seen := 0
	for _, text := range promising {
		source := string(read(t, text))
		if strings.HasSuffix(text, ".go") {
			source = uncommented(source)
		}
		for _, fault := range compare(sentences(source), registered[text], evidenceExists(t)) {
			t.Errorf("%s: %s%s", text, fault, howTo)
		}
		for _, c := range registered[text] {
			seen += len(c.evidence)
		}
	}
	if len(registered) != len(promising) || seen < 100 {
		t.Errorf("%s has %d sections and names evidence %d times: want the sections %v", register, len(registered), seen, promising)
	}
}

// compare returns what is wrong between the sentences of a text and the lines of its section.
func compare(said []string, lines []claim, exists func(string) bool) (faults []string) {
	known := map[string]bool{}
	for _, c := range lines {
		switch {
		case known[c.sentence]:
			faults = append(faults, "is registered twice: "+c.sentence)
		case !slices.Contains(said, c.sentence):
			faults = append(faults, "is registered and not said any more: "+c.sentence)
		case c.evidence != nil && c.limits == "":
			faults = append(faults, "promises without limits, or the word none: "+c.sentence)
		}
		known[c.sentence] = true
		for _, e := range c.evidence {
			if !exists(e) {
				faults = append(faults, "rests on "+e+", which is not there: "+c.sentence)
			}
		}
	}
	for _, s := range said {
		if !known[s] {
			faults = append(faults, "is said and not registered: "+s)
		}
	}
	return faults
}

// claimsIn reads the register: by text, the rows of tables and the items of lists of its section.
func claimsIn(markdown string) map[string][]claim {
	all, section := map[string][]claim{}, ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "## "); ok {
			section = head
			all[section] = nil
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		switch {
		case section == "":
		case strings.HasPrefix(line, "- "):
			all[section] = append(all[section], claim{sentence: strings.TrimPrefix(line, "- ")})
		case strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && len(cells) == 3 && strings.TrimSpace(cells[0]) != "promise":
			c := claim{sentence: strings.TrimSpace(cells[0]), evidence: []string{}, limits: strings.TrimSpace(cells[2])}
			for e := range strings.SplitSeq(cells[1], ";") {
				c.evidence = append(c.evidence, strings.TrimSpace(e))
			}
			all[section] = append(all[section], c)
		}
	}
	return all
}

var (
	namedTest  = regexp.MustCompile(`^([\w/]+) ((?:Test|Fuzz|Example)\w*)$`)
	verifyLine = regexp.MustCompile(`^verify (\d+)$`)
	makeTarget = regexp.MustCompile(`^make ([\w-]+)$`)
)

// evidenceExists returns a function that reports whether a test, a line of make verify, a seeded defect or a target of make
// is there.
func evidenceExists(t *testing.T) func(string) bool {
	checks, defects, makefile := string(read(t, "integration/verify/checks.go")), string(read(t, "integration/mutation/README.md")), string(read(t, "Makefile"))
	sources := map[string]string{}
	return func(e string) bool {
		if m := verifyLine.FindStringSubmatch(e); m != nil {
			return regexp.MustCompile(`name:\s+"` + m[1] + ` `).MatchString(checks)
		}
		if m := makeTarget.FindStringSubmatch(e); m != nil {
			return strings.Contains(makefile, "\n"+m[1]+":")
		}
		if name, ok := strings.CutPrefix(e, "defect: "); ok {
			return strings.Contains(defects, "\n| "+name+" |")
		}
		m := namedTest.FindStringSubmatch(e)
		if m == nil {
			return false
		}
		if sources[m[1]] == "" {
			files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(m[1]), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				sources[m[1]] += string(b)
			}
		}
		return strings.Contains(sources[m[1]], "\nfunc "+m[2]+"(")
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestClaimsAreSeen: a new sentence, a sentence that has gone, and evidence that has gone are each found; and a text is
// read as people read it.
func TestClaimsAreSeen(t *testing.T) {
	said := sentences("# Head\n\nIt is *exact*. Nothing leaks (see [doc](doc.go)). `make` checks it.\n\n```\ncode. Here.\n```\n" +
		"* **Label.** One item goes\n  on here.\n1. Another all:\n\n   P ≤ Q,\n\n   with words.\n\n| a | b |\n|---|---|\n| one | two. Three |\n")
	want := []string{"It is exact.", "Nothing leaks (see doc).", "`make` checks it.", "Label. One item goes on here.", "Another all: P ≤ Q, with words.", "one — two. Three"}
	if !slices.Equal(said, want) {
		t.Errorf("sentences %q, want %q", said, want)
	}
	lines := claimsIn("# R\n- no\n## text\n| promise | evidence | limits |\n|---|---|---|\n| It is exact. | verify 1; a TestX | none |\n- Nothing leaks (see doc).\n")["text"]
	all := func(string) bool { return true }
	if faults := compare(want[:2], lines, all); len(faults) != 0 {
		t.Errorf("faults of a whole register: %q", faults)
	}
	for name, faults := range map[string][]string{
		"a new sentence":       compare(want[:3], lines, all),
		"a sentence gone":      compare(want[:1], lines, all),
		"evidence gone":        compare(want[:2], lines, func(e string) bool { return e != "a TestX" }),
		"a line twice":         compare(want[:2], append(lines, lines[1]), all),
		"a promise of no end":  compare(want[:1], []claim{{sentence: want[0], evidence: []string{"verify 1"}}}, all),
		"a name of no meaning": compare(want[:1], []claim{{want[0], []string{"somebody said so"}, "none"}}, evidenceExists(t)),
	} {
		if len(faults) != 1 {
			t.Errorf("%s: faults %q", name, faults)
		}
	}
}

// TestOddsOfBeliefs: what dp/PRIVACY.md says that somebody can learn at an ε, having thought it as likely as not.
func TestOddsOfBeliefs(t *testing.T) {
	text := string(read(t, "dp/PRIVACY.md"))
	for _, row := range []struct {
		epsilon  float64
		decimals int
		says     string
	}{{1, 0, "73 %"}, {.1, 1, "52.5 %"}, {5, 0, "99 %"}} {
		sure := strconv.FormatFloat(100/(1+math.Exp(-row.epsilon)), 'f', row.decimals, 64)
		if sure+" %" != row.says || !strings.Contains(text, row.says) {
			t.Errorf("ε = %g: %s %%, the text says %s", row.epsilon, sure, row.says)
		}
	}
}
