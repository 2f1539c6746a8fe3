package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	synthesis "github.com/dapple-dp/dapple/internal/transforms/synth"
)

const (
	released = "the privacy budget of this run is spent, and its release is kept: the same command, also with another --output, publishes it"
	takenUp  = "which had not published it: the table was not read again, and no more budget is spent"
)

// cramped runs the command where no file may be larger than 20 kB: rows do not fit, the release does.
func cramped(t *testing.T, dir, temp string, args ...string) ended {
	t.Helper()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -f 40; exec '%s' %s", binary, strings.Join(args, " ")))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its status is what counts
	return ended{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// A release that is paid for and could not be published is kept, for the user's eyes alone. The same request on
// the same table publishes it, anywhere, without a look at the table; others draw anew and say what is left.
func TestReleaseIsKept(t *testing.T) {
	dir, temp := people(t, 200), t.TempDir()
	request := synth("--method=dpam", "--quiet", "--rows=90000")
	cramped(t, dir, temp, request...).want(t, 4, released, "dapple clean", temp)
	noOutput(t, filepath.Join(dir, "out"))
	left := names(t, temp)
	must.Need(t, len(left) == 1, "left: %v", left)
	kept := filepath.Join(temp, left[0])
	private(t, kept)

	// Another ε, and the same table at another time, are other requests.
	table := filepath.Join(dir, "people.csv")
	was, err := os.Stat(table)
	must.Do(t, err)
	others := [][]string{{"--epsilon=2"}, {}}
	for i, other := range others {
		args := append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--delta=1e-9", "--method=dpam", "--quiet", "--rows=10", fmt.Sprint("--output=other", i)}, other...)
		if len(other) == 0 {
			args = append(args, "--epsilon=1")
			must.Do(t, os.Chtimes(table, time.Time{}, was.ModTime().Add(time.Second)))
		}
		got := dappleWith(t, dir, temp, args...)
		got.want(t, 0)
		must.Hold(t, !strings.Contains(got.stdout, takenUp) && strings.Contains(got.stdout, "note    "+kept+" was left by an unfinished run"),
			"request %d: %s", i, got.stdout)
	}
	must.Do(t, os.Chtimes(table, time.Time{}, was.ModTime()))

	// The same request takes it up: a failure keeps it, a second rerun releases the same model.
	backup := filepath.Join(t.TempDir(), left[0])
	must.Do(t, os.CopyFS(backup, os.DirFS(kept)))
	cramped(t, dir, temp, request...).want(t, 4, released)
	var models [2][]byte
	for i := range models {
		out := fmt.Sprint("rerun", i)
		got := dappleWith(t, dir, temp, "synth", "--domain=people.yaml", "--input=people.csv", "--output="+out, "--epsilon=1", "--delta=1e-9", "--method=dpam", "--quiet", "--rows=10")
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, takenUp), "the release was not taken up: %s", got.stdout)
		left := names(t, temp)
		must.Hold(t, len(left) == 0, "left after the release was published: %v", left)
		models[i], err = os.ReadFile(filepath.Join(dir, out+".release", "_model.arrow"))
		must.Do(t, err)
		must.Do(t, os.CopyFS(kept, os.DirFS(backup)))
	}
	must.Hold(t, bytes.Equal(models[0], models[1]), "two models of one release")

	// What is not wanted is removed on request, and only that.
	put(t, temp, "mine", "")
	for _, args := range [][]string{{"clean"}, {"clean", "other"}, {"clean", "other", "--releases"}, {"clean", "out"}} {
		said := dappleWith(t, dir, temp, args...)
		if said.want(t, 0); len(names(t, temp)) != 2 || (len(args) > 1 && args[1] == "other") == strings.Contains(said.stdout, kept) {
			t.Errorf("%v left %v and said: %s", args, names(t, temp), said.stdout)
		}
	}
	got := dappleWith(t, dir, temp, "clean", "out", "--releases")
	got.want(t, 0)
	if left := names(t, temp); len(left) != 1 || !strings.HasPrefix(got.stdout, "removed "+kept+" was left by an unfinished run") {
		t.Errorf("clean left %v and said: %s", left, got.stdout)
	}
	dapple(t, dir, "clean", "--output=gs://bucket/out").want(t, 2, `--output: got "gs://bucket/out"; want a directory of this machine`)
}

// private fails if other users could read anything in dir.
func private(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		must.Hold(t, err != nil || info.Mode().Perm()&0o077 == 0, "others can read %s: %v", path, info)
		return err
	})
	must.Hold(t, err == nil, "%v", err)
}

// With TMPDIR in memory a power cut loses nothing that is paid for: after a kill and without what was in TMPDIR, the same
// command publishes the release that was drawn, for one charge.
func TestPaidForWithTMPDIRInMemory(t *testing.T) {
	if files.InMemory(os.TempDir()) {
		t.Setenv("TMPDIR", "/var/tmp") // outlives a power cut
	}
	dir := people(t, 200)
	temp, err := os.MkdirTemp("/dev/shm", "dapple-test-")
	if err != nil || !files.InMemory(temp) || files.InMemory(dir) {
		t.Skip("missing: /dev/shm in memory, and /tmp or /var/tmp on a disk")
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	book(t, dir, "1")
	request := synth("--method=dpam", "--ledger=b")
	r := startWith(t, dir, temp, append(request, "--rows=30000000")...)
	r.until(t, "writing")
	r.end(t, syscall.SIGKILL)
	for _, name := range names(t, temp) {
		must.Do(t, os.RemoveAll(filepath.Join(temp, name)))
	}
	drawn, err := filepath.Glob(filepath.Join(dir, "dapple-run-*", "*.release"))
	must.Need(t, err == nil && len(drawn) == 1, "beside the output are %v, %v", drawn, err)
	private(t, filepath.Dir(drawn[0]))
	data := must.Value(os.ReadFile(drawn[0]))(t)
	want := must.Value(synthesis.DecodeArtifact(data))(t)
	got := dappleWith(t, dir, temp, append(request, "--rows=10")...)
	got.want(t, 0)
	must.Hold(t, strings.Contains(got.stdout, takenUp), "the release was not taken up: %s", got.stdout)
	model, err := os.ReadFile(filepath.Join(dir, "out.release", "_model.arrow"))
	must.Hold(t, err == nil && bytes.Equal(model, want.Model), "the model that is released is not the one that was drawn: %v", err)
	standing, back := charges(t, dir)
	must.Hold(t, standing == 1 && back == 0, "%d charges, %d taken back", standing, back)
	left, err := filepath.Glob(filepath.Join(dir, "dapple-run-*"))
	must.Hold(t, err == nil && len(left) <= 0, "left beside the output: %v, %v", left, err)
}
