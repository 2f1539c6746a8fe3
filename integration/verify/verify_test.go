package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/internal/repo"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestNamedTestsExist: whoever renames a test that a promise rests on is told here.
func TestNamedTestsExist(t *testing.T) {
	root := must.Value(repo.Root())(t)
	sources := map[string]string{}
	for _, n := range planned() {
		if sources[n.dir] == "" {
			files := must.Value(filepath.Glob(filepath.Join(root, filepath.FromSlash(n.dir), "*_test.go")))(t)
			for _, f := range files {
				b := must.Value(os.ReadFile(f))(t)
				sources[n.dir] += string(b)
			}
		}
		must.Hold(t, strings.Contains(sources[n.dir], "\nfunc "+n.test+"("), "no %s in %s", n.test, n.dir)
	}
}

// TestChecklistIsWhole: rows 1 to 34, each with a test.
func TestChecklistIsWhole(t *testing.T) {
	must.Hold(t, len(checklist) == 34, "%d rows, want 34", len(checklist))
	for i, r := range checklist {
		must.Hold(t, r.number == i+1 && len(r.tests) != 0, "row %d: number %d, %d tests", i+1, r.number, len(r.tests))
	}
}

// TestFalseAlarms: right code is refused once in a million runs at most, and once in 50,000 nights, in which
// audits draw anew. Where seeds are fixed the chance was taken once.
func TestFalseAlarms(t *testing.T) {
	if daily, nightly := together(false), together(true); daily.fresh > 1e-6 || nightly.fresh > 2e-5 || daily.fixed > 1e-4 {
		t.Errorf("false alarms: %.2g of a run, %.2g of a nightly one, %.2g of seeds", daily.fresh, nightly.fresh, daily.fixed)
	}
}

// TestEveryCoderIsFuzzed: a decoder that is registered with Beam is called by a fuzz target, and every fuzz
// target of the module is in the table of checks.
func TestEveryCoderIsFuzzed(t *testing.T) {
	root, err := repo.Root()
	must.Do(t, err)
	registered, target := regexp.MustCompile(`RegisterCoder\(.*, (\w+)\)`), regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	all, decoders, fuzzing := planned(), map[string]string{}, map[string]string{}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, err := os.ReadFile(path)
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		for _, m := range registered.FindAllStringSubmatch(string(b), -1) {
			decoders[m[1]] = dir
		}
		for _, m := range target.FindAllStringSubmatch(string(b), -1) {
			fuzzing[dir] += string(b)
			must.Hold(t, slices.Contains(all, named{filepath.ToSlash(dir), m[1]}) || strings.HasPrefix(dir, "integration"),
				"%s of %s is not among the checks", m[1], dir)
		}
		return err
	})
	must.Need(t, err == nil && len(decoders) >= 7, "%d registered coders were found (error %v)", len(decoders), err)
	for name, dir := range decoders {
		must.Hold(t, strings.Contains(fuzzing[dir], name+"("), "no fuzz target of %s calls %s", dir, name)
	}
}

// TestShortTestsRunElsewhere: what `make test` leaves out for its time runs under make integration, which tests whole
// folders but one, is among the checks of make verify, or stands in the research module, whose tests make nightly runs.
func TestShortTestsRunElsewhere(t *testing.T) {
	root, err := repo.Root()
	must.Do(t, err)
	makefile := must.Value(os.ReadFile(filepath.Join(root, "Makefile")))(t)
	recipe := string(makefile)
	recipe = recipe[strings.Index(recipe, "\nWHOLE  = "):]
	recipe = recipe[:strings.Index(recipe, "\n\n")]
	var whole []string // folders whose tests run without -short
	if regexp.MustCompile(`(?s)\nWHOLEBELOW = [^\n]* \./\.\.\. \| grep.*\$\(BELOW\) \$\(SUITE\)[^\n]* -longer [^\n]*\$\(WHOLEBELOW\)`).MatchString(recipe) {
		whole = append(whole, "integration/")
	}
	if strings.Contains(string(makefile), "\n\t$(RESEARCH) DAPPLE_NIGHTLY=1 $(GO) test -count=1 -timeout 5h ./...\n") {
		whole = append(whole, "integration/research/") // by night
	}
	for _, m := range regexp.MustCompile(`\./([a-z/]+)/\.\.\.`).FindAllStringSubmatch(recipe, -1) {
		whole = append(whole, m[1]+"/")
	}
	must.Need(t, len(whole) >= 3 && !strings.Contains(recipe, "-short"), "make integration tests %v", whole)
	other := regexp.MustCompile(`grep -v ([a-z/]+)`).FindStringSubmatch(recipe)
	must.Need(t, other != nil, "make integration leaves no folder to make verify")
	function, all, seen := regexp.MustCompile(`(?m)^func (\w+)\(`), planned(), 0
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		tested := slices.ContainsFunc(whole, func(dir string) bool { return strings.HasPrefix(rel, dir) })
		if tested && !strings.HasPrefix(rel, other[1]+"/") {
			return nil
		}
		b, err := os.ReadFile(path)
		text := string(b)
		starts := append(function.FindAllStringSubmatchIndex(text, -1), []int{len(text), len(text), 0, 0})
		for i, at := range starts[:len(starts)-1] {
			name, body := text[at[2]:at[3]], text[at[0]:starts[i+1][0]]
			left := strings.HasPrefix(rel, other[1]+"/") && strings.HasPrefix(name, "Test") && name != "TestMain"
			if !left && !strings.Contains(body, "testing.Short()") {
				continue
			}
			seen++
			dir := strings.TrimSuffix(rel, "/"+filepath.Base(path))
			runs := slices.ContainsFunc(all, func(n named) bool {
				return n.dir == dir && (n.test == name || !strings.HasPrefix(name, "Test") && calls(text, n.test, name))
			})
			must.Hold(t, runs, "%s: neither make integration nor make verify runs all of %s", rel, name)
		}
		return err
	})
	must.Hold(t, err == nil && seen >= 3, "%d functions outside %v look at -short (error %v): the test is blind", seen, whole, err)
}

// calls reports whether a test of a file calls a function of it.
func calls(file, test, function string) bool {
	_, body, found := strings.Cut(file, "\nfunc "+test+"(")
	body, _, _ = strings.Cut(body, "\n}\n")
	return found && strings.Contains(body, function+"(")
}

// TestRead: a test counts as passed only where it says so; skipped, missing and failed ones do not.
func TestRead(t *testing.T) {
	out := `{"Time":"2026-01-01T00:00:00Z","Action":"run","Test":"TestA"}
{"Action":"output","Test":"TestA/x","Output":"    a_test.go:1: figure: 0.5 of the claim\n"}
{"Action":"pass","Test":"TestA/x"}
{"Time":"2026-01-01T00:00:02Z","Action":"pass","Test":"TestA"}
{"Action":"fail","Test":"TestB"}
{"Action":"skip","Test":"TestC"}
{"Action":"pass","Test":"TestD/sub"}
`
	got := read([]byte(out), []string{"TestA", "TestB", "TestC", "TestD", "TestE"}, nil)
	for test, want := range map[string]string{"TestA": passed, "TestB": failed, "TestC": absent, "TestD": absent, "TestE": absent} {
		must.Hold(t, got[test].verdict == want, "%s: %s, want %s", test, got[test].verdict, want)
	}
	a := got["TestA"]
	must.Hold(t, a.seconds == 2 && len(a.figures) == 1 && a.figures[0] == "0.5 of the claim", "TestA: %+v", a)
}
