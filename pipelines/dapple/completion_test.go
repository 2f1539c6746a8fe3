package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// What a shell asks for is answered with commands, flags, values and pages of help.
func TestCompletion(t *testing.T) {
	var pages []string
	for _, c := range commands(nil, false) {
		pages = append(pages, c.name)
	}
	pages = append(pages, "domain", "about", "engines", "schema", "completion", "help")
	for typed, want := range map[string]string{
		"pl": "plan", "synth --eps": "--epsilon", "sample --wh": "--where", "completion f": "fish", "help ": strings.Join(pages, " "),
		"synth --format=": "parquet arrow csv jsonl", "sample --layout=": "joined two", "evaluate --qui": "--quiet", "plan --digest": "", "verify peo": "",
		"synth --neighbouring=": "add_remove replace",
	} {
		got := inProcess(t, append([]string{"__completeNoDesc"}, strings.Split(typed, " ")...)...)
		words, _, found := strings.Cut(got.stdout, ":")
		if got := strings.Join(strings.Fields(words), " "); !found || got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
	got := inProcess(t, "__completeNoDesc", "verify", "peo")
	must.Hold(t, strings.HasPrefix(got.stdout, ":0"), "the shell does not complete files: %s", got.stdout)
}

// The scripts of all shells are printed; bash and fish read theirs.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := inProcess(t, "completion", shell)
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, "__complete"), "%s: %s", shell, got.stdout)
		program, err := exec.LookPath(shell)
		if err != nil || shell == "powershell" {
			continue
		}
		cmd := exec.Command(program, "-n")
		cmd.Stdin = strings.NewReader(got.stdout)
		out, err := cmd.CombinedOutput()
		must.Hold(t, err == nil, "%s: %v\n%s", shell, err, out)
	}
	inProcess(t, "completion", "csh").want(t, 2, "SHELL: want bash, zsh, fish or powershell")
	inProcess(t, "completion").want(t, 2, "SHELL: want ")
}

// Every value that is offered for a flag is one that the flag takes, and no default is refused.
func TestOfferedValues(t *testing.T) {
	offered := 0
	for _, c := range commands(nil, false) {
		for _, o := range c.options {
			words := o.choices
			if o.def != "" {
				words = append(slices.Clone(words), o.def)
			}
			for _, word := range words {
				offered++
				must.Pass(t, o.set(word), "%s --%s=%s", c.name, o.name, word)
			}
		}
	}
	must.Hold(t, offered >= 20, "%d values: the test is blind", offered)
}

// Every flag has its line: one that no other flag hides in, and that fits a terminal.
func TestFlagLines(t *testing.T) {
	for _, c := range commands(nil, false) {
		must.Hold(t, c.example != "" && c.group != "", "%s: no example, or no heading", c.name)
		for _, o := range c.options {
			must.Hold(t, o.usage != "" && !strings.Contains(o.usage, "\n") && utf8.RuneCountInString(o.usage) <= 80, "%s --%s: %q", c.name, o.name, o.usage)
			must.Equal(t, regexp.MustCompile(`--[a-z_]+=`).FindString(o.usage), "", "%s --%s: its line explains", c.name, o.name)
		}
	}
}

// Names with dashes, words in place of flags, and environment variables are read.
func TestSpellings(t *testing.T) {
	dir := people(t, 10)
	t.Chdir(dir)
	put(t, ".", "about.yaml", "name: ours\n")
	plan := func(args ...string) ended { return inProcess(t, append([]string{"plan"}, args...)...) }
	want := plan("--domain=people.yaml", "--expected_rows=900", "--epsilon=1", "--delta=1e-9")
	want.want(t, 0)
	must.Need(t, strings.Contains(want.stdout, "\nnext "), "%v", want.stdout)
	cutNext := func(s string) string { head, _, _ := strings.Cut(s, "\nnext "); return head }
	for _, args := range [][]string{{"people.yaml", "--expected-rows=900", "--epsilon=1", "--delta=1e-9"}, {"--epsilon", "1", "--delta", "1e-9", "--expected-rows", "900", "people.yaml"}} {
		got := plan(args...)
		must.Hold(t, cutNext(got.stdout) == cutNext(want.stdout), "%q: %s%s", args, got.stdout, got.stderr)
	}
	t.Setenv("DAPPLE_ABOUT", "nowhere.yaml")
	plan("people.yaml", "--epsilon=1", "--delta=1e-9").want(t, 2, "--about (from DAPPLE_ABOUT): nowhere.yaml")
	plan("people.yaml", "--epsilon=1", "--delta=1e-9", "--about=about.yaml").want(t, 0)
	plan("people.yaml", "people.csv", "--epsilon=1", "--delta=1e-9", "--about=about.yaml").want(t, 0)
	t.Setenv("DAPPLE_ABOUT", "")
	inProcess(t, "check", "people.yaml", "--input=-").want(t, 2, "--input: got -; standard input and output are not for it; name a file")
	for _, args := range [][]string{{"check", "people.yaml", "people.csv"}, {"check", "people.csv", "--domain=people.yaml"}} {
		got := inProcess(t, args...)
		must.Hold(t, got.status == 0 && strings.Contains(got.stdout, "10 records"), "%q: %+v", args, got)
	}
	var fit map[string]any
	for _, args := range [][]string{{"check", "people.yaml", "people.csv", "--json"}, {"plan", "people.yaml", "--epsilon=1", "--delta=1e-9", "--json=-"}} {
		got := inProcess(t, args...)
		must.Hold(t, json.Unmarshal([]byte(got.stdout), &fit) == nil && len(fit) != 0, "%q: not one JSON object: %+v", args, got)
	}
	got := names(t, ".")
	must.Hold(t, len(got) == 3, "files: %v", got)
}

// What nearly is a command or a flag is named.
func TestSuggestions(t *testing.T) {
	for line, want := range map[string]string{
		"synht": "did you mean dapple synth?", "evalute": "did you mean dapple evaluate?", "help synht": "did you mean dapple synth?",
		"synth --eps=1": "did you mean --epsilon?", "synth --domian=a": "did you mean --domain?", "synth --dry-run-it": "did you mean --dry_run?",
		"sample --dry-run": "dapple plan says what a run would do",
	} {
		inProcess(t, strings.Fields(line)...).want(t, 2, want)
	}
	for _, word := range []string{"--version", "-v", "version"} {
		got := inProcess(t, word)
		must.Hold(t, got.status == 0 && strings.HasPrefix(got.stdout, "dapple ") && strings.Contains(got.stdout, ", Beam v"), "%s: %+v", word, got)
	}
}

// A δ that is not given is one problem, not two: no method is refused for a δ of 0 that nobody asked for. Nor does a file
// that cannot be written name a package.
func TestOneProblemEach(t *testing.T) {
	dir := people(t, 200)
	put(t, dir, "learned.yaml", "privacy_id: none\ncolumns:\n  - {name: age, type: INT64, min: 0, max: 99, null: true}\n  - {name: income, type: INT64, min: 0, max: 99999, null: true}\n")
	dapple(t, dir, "plan", "learned.yaml", "--epsilon=1").want(t, 2, "one problem", "--delta: is required")
	dapple(t, dir, synth("--quiet")...).want(t, 0)
	if got := dapple(t, dir, "report", "out", "--html=no/x.html"); got.status == 0 || !strings.Contains(got.stderr, "--html: ") || strings.Contains(got.stderr, "pipelines: ") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

// A plan for programs says what the text says.
func TestPlanJSON(t *testing.T) {
	dir := people(t, 10)
	args := append([]string{"plan", "--json=plan.json", "--target_error=0.05"}, slices.DeleteFunc(synth()[1:], func(a string) bool { return strings.HasPrefix(a, "--epsilon") })...)
	got := dapple(t, dir, args...)
	got.want(t, 0)
	b := must.Value(os.ReadFile(filepath.Join(dir, "plan.json")))(t)
	var p struct {
		Epsilon   float64  `json:"epsilon"`
		Method    string   `json:"method"`
		AverageTV *float64 `json:"average_tv"`
		Columns   []string `json:"columns"`
		Curve     []struct {
			Epsilon float64 `json:"epsilon"`
			TV      float64 `json:"average_tv"`
		} `json:"curve"`
		Given   bool `json:"units_given"`
		ByUnits []struct {
			Units float64 `json:"units"`
			TV    float64 `json:"average_tv"`
		} `json:"at_other_units"`
		Target struct {
			Epsilon float64 `json:"epsilon"`
		} `json:"target"`
		Privacy struct {
			Epsilon float64          `json:"epsilon"`
			Ledger  []map[string]any `json:"ledger"`
		} `json:"privacy"`
	}
	must.Do(t, json.Unmarshal(b, &p))
	must.Hold(t, p.Epsilon > 0 && p.Epsilon == p.Target.Epsilon && p.Epsilon == p.Privacy.Epsilon && p.AverageTV != nil && *p.AverageTV <= .05 && len(p.Columns) == 4 && len(p.Curve) != 0 && len(p.Privacy.Ledger) != 0 && p.Method != "",
		"got %+v of %s", p, b)
	for i := 1; i < len(p.Curve); i++ {
		must.Hold(t, p.Curve[i].Epsilon > p.Curve[i-1].Epsilon && p.Curve[i].TV <= p.Curve[i-1].TV, "the curve does not fall: %+v", p.Curve)
	}
	u := p.ByUnits
	must.Hold(t, !p.Given && len(u) == 3 && u[0].TV > u[1].TV && u[1].TV > *p.AverageTV && *p.AverageTV > u[2].TV && u[2].Units == 500_000 && strings.Contains(got.stdout, "50,000 is ASSUMED"),
		"of an assumed number of units: %+v", u)
	dapple(t, dir, append(args, "--json=no/plan.json")...).want(t, 2, "--json")
	dapple(t, dir, "plan", "--json=no/plan.json", "--domain=nowhere.yaml", "--epsilon=1", "--delta=0").want(t, 2, "2 problems", "--json", "nowhere.yaml")
}

// Results for programs: synth, sample and verify write one object, which says what their text says.
func TestResultsAsJSON(t *testing.T) {
	dir := people(t, 400)
	read := func(args ...string) (got map[string]any) {
		t.Helper()
		said := dapple(t, dir, args...)
		said.want(t, 0)
		err := json.Unmarshal([]byte(said.stdout), &got)
		must.Need(t, err == nil, "%v: %s", err, said.stdout)
		return got
	}
	field := func(of any, key string) any {
		m, ok := of.(map[string]any)
		must.Need(t, ok, "no object with %s: %v", key, of)
		return m[key]
	}
	made := read(synth("--json", "--quiet")...)
	must.Hold(t, made["release"] == "out.release" && made["epsilon"] == 1. && made["guarantee"] == "ε = 1, δ = 0, add or remove one person_id" && strings.Contains(fmt.Sprint(made["error_in_words"]), "tables of three columns") && strings.Contains(fmt.Sprint(made["notes"]), "was divided for 50,000 people, but there are about "),
		"synth: %v", made)
	drawn := read("sample", "out", "--output=more", "--rows=20", "--quiet", "--json")
	must.Hold(t, field(drawn["wrote"], "rows") == 20. && drawn["dry"] == false, "sample: %v", drawn)
	found := read("verify", "out", "--json", "--quiet")
	must.Hold(t, found["verified"] == true && found["guarantee"] == made["guarantee"] && found["digest"] == field(made["wrote"], "digest") && field(found["wrote"], "rows") == field(made["wrote"], "rows"),
		"verify: %v; synth: %v", found, made)
	dapple(t, dir, "verify", "out", "--json=no/x.json").want(t, 2, "--json")
	dapple(t, dir, "verify", "out", "--json=found.json").want(t, 0)
	b, err := os.ReadFile(filepath.Join(dir, "found.json"))
	must.Hold(t, err == nil && json.Valid(b), "found.json: %v, %s", err, b)
	dapple(t, dir, "verify", ".", "--json").want(t, 2)
	other := synth("--json=made.json", "--quiet", "--expected_rows=400")
	for i, a := range other {
		if a == "--output=out" {
			other[i] = "--output=other"
		}
	}
	got := dapple(t, dir, other...)
	got.want(t, 0)
	must.Hold(t, !strings.Contains(got.stdout, "the budget was divided") && strings.Contains(got.stdout, "\nwrote   "), "beside a file: %s", got.stdout)
}
