package integration

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// register is the file of all claims.
const register = "dp/CLAIMS.md"

// claim is an entry of the register.
type claim struct {
	id, sentence, limits string
	evidence             []string
}

// TestClaims: every claim has a sentence, evidence that is there, limits, and a text that states it; every id that a
// text carries belongs to a claim.
func TestClaims(t *testing.T) {
	claims := claimsIn(string(read(t, register)))
	for _, fault := range faultsOf(claims, carried(t), evidenceExists(t)) {
		t.Errorf("%s\nThe head of %s says how claims and evidence are written.", fault, register)
	}
	must.Hold(t, len(claims) >= 50, "%s has %d claims, want about 60", register, len(claims))
}

// faultsOf returns the faults of claims, of the ids that texts carry (id: a text), and of evidence.
func faultsOf(claims []claim, carried map[string]string, exists func(string) bool) (faults []string) {
	known := map[string]bool{}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, c := range claims {
		if known[c.id] {
			fault("%s: is there twice; give the second the next free number", c.id)
		}
		known[c.id] = true
		if c.sentence == "" {
			fault("%s: has no sentence", c.id)
		}
		if len(c.evidence) == 0 {
			fault("%s: has no evidence", c.id)
		}
		if c.limits == "" {
			fault("%s: has no limits; write them, or none known", c.id)
		}
		if carried[c.id] == "" {
			fault("%s: no text states it; remove the claim, or put its id where it is stated", c.id)
		}
		for _, e := range c.evidence {
			if !exists(e) {
				fault("%s: rests on %q, which is not there", c.id, e)
			}
		}
	}
	for id, text := range carried {
		if !known[id] {
			fault("%s: carries the id %s, which is no claim", text, id)
		}
	}
	slices.Sort(faults)
	return faults
}

var claimHead = regexp.MustCompile(`^### (P\d+)$`)

// claimsIn reads the register: "### P1", a sentence, "Evidence: ...", "Limits: ...".
func claimsIn(markdown string) (all []claim) {
	for part := range strings.SplitSeq(markdown, "\n### ") {
		head, body, _ := strings.Cut(part, "\n")
		if !claimHead.MatchString("### " + head) {
			continue
		}
		body, _, _ = strings.Cut(body, "\n## ")
		c := claim{id: head}
		for block := range strings.SplitSeq(body, "\n\n") {
			block = strings.Join(strings.Fields(block), " ")
			if e, ok := strings.CutPrefix(block, "Evidence: "); ok {
				c.evidence = strings.Split(e, "; ")
			} else if l, ok := strings.CutPrefix(block, "Limits: "); ok {
				c.limits = l
			} else if c.sentence == "" {
				c.sentence = block
			}
		}
		all = append(all, c)
	}
	return all
}

var (
	claimLink    = regexp.MustCompile(`CLAIMS\.md#p(\d+)`)
	claimComment = regexp.MustCompile(`(?:<!-- |\bclaims? )(P\d+(?:(?:, | and )P\d+)*)`)
	claimID      = regexp.MustCompile(`P\d+`)
)

// idsIn returns the ids of claims that a text carries.
func idsIn(text string) (ids []string) {
	for _, m := range claimLink.FindAllStringSubmatch(text, -1) {
		ids = append(ids, "P"+m[1])
	}
	for _, m := range claimComment.FindAllStringSubmatch(text, -1) {
		ids = append(ids, claimID.FindAllString(m[1], -1)...)
	}
	return ids
}

// carried returns the ids in the texts of the repository, each with a text that carries it. Tests and their data do not
// count.
func carried(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	must.Do(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "out", "testdata", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || name == register || strings.HasSuffix(name, "_test.go") || !slices.Contains([]string{".md", ".go", ".html"}, filepath.Ext(name)):
			return nil
		}
		b, err := os.ReadFile(path)
		for _, id := range idsIn(string(b)) {
			ids[id] = name
		}
		return err
	}))
	return ids
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
			files := must.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(m[1]), "*_test.go")))(t)
			for _, f := range files {
				b := must.Value(os.ReadFile(f))(t)
				sources[m[1]] += string(b)
			}
		}
		return strings.Contains(sources[m[1]], "\nfunc "+m[2]+"(")
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join("..", filepath.FromSlash(name))))(t)
	return b
}

// TestClaimsAreSeen: a claim that misses a part, evidence that is gone and an id without a claim are each found.
func TestClaimsAreSeen(t *testing.T) {
	whole := "# R\n\n## Part\n\n### P1\nIt is\nexact.\n\nEvidence: verify 1; a TestX\n\nLimits: none known\n\n## More\n\n### P2\nNothing leaks.\n\nEvidence: verify 2\n\nLimits: small\ntables\n"
	claims := claimsIn(whole)
	want := []claim{{"P1", "It is exact.", "none known", []string{"verify 1", "a TestX"}}, {"P2", "Nothing leaks.", "small tables", []string{"verify 2"}}}
	must.Hold(t, fmt.Sprint(claims) == fmt.Sprint(want), "read %v, want %v", claims, want)
	ids := idsIn("It is exact [P1](dp/CLAIMS.md#p1). <!-- P2, P3 --> // claims P4 and P5; P6 is no claim's, nor P95.")
	must.Hold(t, slices.Equal(ids, []string{"P1", "P2", "P3", "P4", "P5"}), "ids %v", ids)
	texts, all := map[string]string{"P1": "a text", "P2": "a text"}, func(string) bool { return true }
	faults := faultsOf(claims, texts, all)
	must.Hold(t, len(faults) == 0, "faults of a whole register: %q", faults)
	for name, faults := range map[string][]string{
		"an id without a claim": faultsOf(claims[:1], texts, all),
		"a claim not stated":    faultsOf(claims, map[string]string{"P1": "a text"}, all),
		"no evidence":           faultsOf(claimsIn(strings.Replace(whole, "Evidence: verify 2", "", 1)), texts, all),
		"no limits":             faultsOf(claimsIn(strings.Replace(whole, "Limits: none known", "", 1)), texts, all),
		"no sentence":           faultsOf(claimsIn(strings.Replace(whole, "Nothing leaks.\n", "", 1)), texts, all),
		"evidence gone":         faultsOf(claims, texts, func(e string) bool { return e != "a TestX" }),
		"a claim twice":         faultsOf(append(claims, claims[1]), texts, all),
		"a name of no meaning":  faultsOf([]claim{{"P1", "x", "none known", []string{"somebody said so"}}}, map[string]string{"P1": "a"}, evidenceExists(t)),
	} {
		must.Hold(t, len(faults) == 1, "%s: faults %q", name, faults)
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
		must.Hold(t, sure+" %" == row.says && strings.Contains(text, row.says), "ε = %g: %s %%, the text says %s", row.epsilon, sure, row.says)
	}
}
