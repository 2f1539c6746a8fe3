package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// deaf are places that take nothing: a pipe that nobody reads any more, and a full device.
func deaf(t *testing.T) map[string]*os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must.Do(t, err)
	must.Do(t, r.Close())
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("missing: /dev/full")
	}
	t.Cleanup(func() { _, _ = w.Close(), full.Close() })
	return map[string]*os.File{"a pipe that nobody reads": w, "a full device": full}
}

// into runs the command in dir with the given outputs; nil: what comes out is returned.
func into(t *testing.T, dir string, stdout, stderr *os.File, args ...string) (text string, status int) {
	t.Helper()
	var b strings.Builder
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &b, &b
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if stderr != nil {
		cmd.Stderr = stderr
	}
	_ = cmd.Run() // the status is compared
	return b.String(), cmd.ProcessState.ExitCode()
}

// Progress that nobody reads ends nothing.
func TestProgressThatNobodyReads(t *testing.T) {
	dir := people(t, 300)
	for name, place := range deaf(t) {
		for _, log := range []string{"--log=text", "--log=json"} {
			text, status := into(t, dir, nil, place, synth("--overwrite", log)...)
			must.Hold(t, status == 0 && strings.Contains(text, "\ndigest "), "standard error is %s, %s: exit status %d and\n%s", name, log, status, text)
		}
		text, status := into(t, dir, nil, place, "check", "people.yaml", "people.csv")
		must.Hold(t, status == 0 && text != "", "check, standard error is %s: exit status %d and\n%s", name, status, text)
	}
}

// A command whose words cannot be written says what it has done, and ends with status 1.
func TestWordsThatCannotBeWritten(t *testing.T) {
	dir := people(t, 300)
	book := []string{"ledger", "book", "--create=people", "--input=people.csv", "--privacy_id=person_id", "--epsilon=9", "--delta=1e-6"}
	for name, place := range deaf(t) {
		for _, row := range []struct {
			says, there string
			args        []string
		}{
			{"all is published in out all the same, with ε = 1, δ = 0, add or remove one person_id", "out.release/_manifest.json", synth("--quiet")},
			{"all rows are published in more all the same", "more.release/_manifest.json", []string{"sample", "--model=out", "--output=more", "--quiet"}},
			{"all files are written all the same", "croissant.json", []string{"report", "out", "--html=page.html", "--croissant=croissant.json"}},
			{"the book is made all the same", "book/entry-000000.json", book},
			{"the table is entered all the same", "book/entry-000001.json", []string{"ledger", "book", "--input=more.csv"}},
		} {
			text, status := into(t, dir, place, nil, row.args...)
			must.Hold(t, status == 1 && strings.Contains(text, row.says),
				"%s, standard output is %s: exit status %d, want 1, and %q in\n%s", row.args[0], name, status, row.says, text)
			must.Passes(os.Stat(filepath.Join(dir, row.there)))(t)
		}
		text, status := into(t, dir, nil, nil, "verify", "out")
		must.Hold(t, status == 0, "verify: exit status %d\n%s", status, text)
		for _, gone := range []string{"out", "out.release", "more", "more.release", "book"} {
			must.Do(t, os.RemoveAll(filepath.Join(dir, gone)))
		}
	}
}
