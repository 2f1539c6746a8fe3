package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A program that the package for Python has started ends with it, however that ended, and says what was spent: nothing, or
// what clean says of what is left. A program whose standard input stays open, and one without a workspace, work to their end.
func TestOwnerIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		at     string // what the program says when its owner goes; empty: at once
		owner  string // how its directory is named
		args   []string
		status int
	}{
		"a run that reads":     {`"stage":"reading"`, "dapple-python-1", synth("--log=json"), 1},
		"a run that starts":    {"", "dapple-python-1", synth("--quiet"), 1},
		"a proposal":           {"", "dapple-python-1", []string{"infer", "--input=people.csv", "--privacy_id=person_id", "--from_data", "--output=new.yaml"}, 1},
		"a run to its end":     {"never", "dapple-python-1", synth("--log=json"), 0},
		"nobody's":             {"", "of-mine", synth("--quiet"), 0},
		"a finding that reads": {`"stage":"reading"`, "dapple-python-1", append(synth("--log=json", "--privacy_id=person_id")[:1], synth("--log=json", "--privacy_id=person_id")[2:]...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			dir := filepath.Join(temp, c.owner)
			must.Do(t, os.Rename(people(t, 200_000), dir))
			must.Do(t, os.Mkdir(filepath.Join(dir, "in-use"), 0o700))
			cmd := exec.CommandContext(t.Context(), binary, c.args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, workspaceVariable+"="+dir)
			in := must.Value(cmd.StdinPipe())(t)
			out := must.Value(cmd.StderrPipe())(t)
			must.Do(t, cmd.Start())
			var said bytes.Buffer
			for b := make([]byte, 4096); c.at != "" && !strings.Contains(said.String(), c.at); {
				n, err := out.Read(b)
				if said.Write(b[:n]); err != nil {
					break
				}
			}
			if c.at != "never" {
				in.Close()
			}
			done := make(chan struct{})
			go func() { defer close(done); _, _ = io.Copy(&said, out) }()
			select {
			case <-done:
			case <-time.After(patience):
				t.Fatalf("it goes on:\n%s", said.String())
			}
			_ = cmd.Wait() // how it ended is looked at
			status := cmd.ProcessState.ExitCode()
			must.Need(t, status == c.status, "exit status %d, want %d:\n%s", status, c.status, said.String())
			if c.status == 0 {
				must.Hold(t, len(names(t, filepath.Join(dir, "out"))) != 0, "no rows:\n%s", said.String())
				return
			}
			cleaned := dappleWith(t, temp, temp, "clean", "--releases").stdout
			must.Hold(t, strings.Contains(said.String(), "noise had been drawn") || strings.Contains(said.String(), "is spent") == strings.Contains(cleaned, "counts as spent"),
				"the run said\n%sand clean\n%s", said.String(), cleaned)
			left := names(t, temp)
			must.Hold(t, len(left) <= 0, "left: %q; clean said\n%s", left, cleaned)
		})
	}
}
