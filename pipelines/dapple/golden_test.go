package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// golden compares text with testdata/name.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return
	}
	want := must.Value(os.ReadFile(path))(t)
	must.Hold(t, text == string(want), "%s has changed; run go test -update if that is meant. %s", path, firstDifference(string(want), text))
}

// firstDifference is the first line that differs.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("Line %d was %q and is %q", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("It had %d lines and has %d", len(w), len(g))
}

// The list of commands fits a terminal of 24 lines, with the prompt,; the help of each has a line for each flag.
func TestHelp(t *testing.T) {
	top := inProcess(t)
	top.want(t, 0)
	lines := strings.Count(top.stdout, "\n")
	must.Hold(t, lines <= 22, "dapple: %d lines", lines)
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		got := inProcess(t, args...)
		must.Hold(t, got == top, "dapple %s differs from dapple: %+v", args[0], got)
	}
	all := "$ dapple\n" + top.stdout + "\n"
	pages := []string{"completion", "about", "engines"}
	for _, c := range commands(nil, false) {
		pages = append(pages, c.name)
	}
	for _, name := range pages {
		got := inProcess(t, "help", name)
		got.want(t, 0)
		for _, line := range strings.Split(got.stdout, "\n") {
			must.Hold(t, utf8.RuneCountInString(line) <= 120, "dapple help %s: more than 120 characters: %s", name, line)
		}
		all += "$ dapple help " + name + "\n" + got.stdout + "\n"
		n := strings.Count(got.stdout, "\n      --") + 1
		must.Hold(t, name != "synth" || n <= 40, "dapple help synth: %d flags", n) // and -h
		must.Hold(t, inProcess(t, name, "-h") == got, "dapple %s -h and dapple help %[1]s differ", name)
	}
	golden(t, "help.txt", all)
	inProcess(t, "help", "magic").want(t, 2, "magic: is not a command")
}

// What differs between two runs: noise, and the model that follows from it.
var noisy = []struct{ re, with string }{
	{`digest  [0-9a-f]{64}`, "digest  HASH"},
	{`[0-9,]+ rows`, "N rows"},
	{`right to ± [0-9.e+-]+ points`, "right to ± E points"},
	{`miss [0-9.e+-]+ % of the people on average, measured to ± [0-9.e+-]+ points`, "miss E of the people on average, measured to ± E points"},
	{`there are about [0-9,]+; next time add --expected_rows=[0-9]+`, "there are about N; next time add --expected_rows=N"},
	{`[0-9.]+ [kM]?B\)`, "SIZE)"},
	{`"rows": [0-9]+`, `"rows": N`},
	{`"count": [0-9.]{3,}`, `"count": N`}, // not the counts of releases
	{`"(standard_deviation|delta_by_units|max_cell_bound_95|shares_95|average_tv_estimate|average_tv_with_noise|average_tv_predicted)": [0-9.e-]+`, `"$1": X`},
	{`"[0-9a-f]{64}"`, `"HASH"`},
	{`"began": "[^"]*"`, `"began": "TIME"`},
	{`"status": "[^"]*"`, `"status": "STATUS"`}, // how a fit ends depends on the noise
	{`"go": "[^"]*"`, `"go": "VERSION"`},
	{`"dapple": "[^"]*"`, `"dapple": "VERSION"`},
	{`"beam": "[^"]*"`, `"beam": "VERSION"`},
}

func masked(s string) string {
	for _, m := range noisy {
		s = regexp.MustCompile(m.re).ReplaceAllString(s, m.with)
	}
	return s
}

// The last lines of a run and its statement, of the method whose every charge is known before. Of 10,000 people
// the released number has a standard deviation below 50: it has three digits or more, and no figure is cut off
// at 0 or 1, in all runs but 1e-70.
func TestClosingLinesAndStatement(t *testing.T) {
	dir := people(t, 20_000)
	got := dapple(t, dir, synth("--method=dpam", "--quiet")...)
	got.want(t, 0)
	must.Hold(t, got.stderr == "", "a quiet run wrote to standard error: %s", got.stderr)
	golden(t, "closing.txt", masked(got.stdout))
	statement := must.Value(os.ReadFile(filepath.Join(dir, "out.release/_privacy.json")))(t)
	golden(t, "privacy.json", masked(string(statement)))
}

// The plan of a method whose every charge is known before, and of the one that follows its releases.
func TestPlanText(t *testing.T) {
	dir := people(t, 10)
	for _, method := range []string{"dpam", "auto"} {
		got := dapple(t, dir, append([]string{"plan", "--method=" + method, "--expected_rows=50000"}, synth()[1:]...)...)
		got.want(t, 0)
		golden(t, "plan-"+method+".txt", got.stdout)
		lines := strings.Count(got.stdout, "\n")
		must.Hold(t, lines <= 15, "%s: %d lines", method, lines)
	}
}
