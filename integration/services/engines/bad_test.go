package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// fails runs to a failure before anything is drawn. It says why in one line and that nothing is spent, and leaves nothing.
func (a account) fails(t *testing.T, output, why string, more ...string) {
	t.Helper()
	said := a.run(t, 1, a.at(output, more...)...)
	_, last, _ := strings.Cut(said, "dapple: ")
	if lines := strings.SplitN(last, "\n", 3); len(lines) < 2 || !strings.Contains(lines[0], why) || !strings.HasPrefix(lines[1], unspent) {
		t.Errorf("it does not say %q, and in the next line %q:\n%s", why, unspent, said)
	}
	a.none(t, output+"*/*")
	a.over(t)
}

// through is a worker that a script starts, whose line has the program and its arguments at the end.
func (a account) through(t *testing.T, line string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "worker")
	digest, err := jobs.Digest(a.program)
	if err == nil {
		err = os.WriteFile(script, []byte("#!/bin/sh\n"+line+" "+a.program+" \"$@\"\n"), 0o700)
	}
	must.Do(t, err)
	return "--environment_config=" + config(t, script, digest)
}

func config(t *testing.T, program, digest string) string {
	t.Helper()
	b := must.Value(json.Marshal(map[string]any{"command": program, "env": map[string]string{jobs.ProgramVariable: digest}}))(t)
	return string(b)
}

// mounted is a line for a worker that sees a directory in another way.
func mounted(t *testing.T, how, dir string) string {
	t.Helper()
	line := fmt.Sprintf(`exec unshare -rm sh -c 'mount %s && exec "$@"' %s`, how, dir)
	if out, err := exec.Command("sh", "-c", line+" true").CombinedOutput(); err != nil {
		t.Skipf("missing: mounts of a process of its own (unshare -rm): %s", out)
	}
	return line
}

// What can be wrong with workers, and with the places that they share with the launcher.
func (a account) badWorkers(t *testing.T) {
	t.Run("LocalPaths", func(t *testing.T) {
		args := a.at("bad")
		said := a.run(t, 2, args[:len(args)-1]...)
		for _, text := range []string{"nothing was read or written", "--input: " + a.dir, "--output: " + a.dir, "--shared"} {
			must.Hold(t, strings.Contains(said, text), "it does not say %q:\n%s", text, said)
		}
	})
	t.Run("NoProgram", func(t *testing.T) {
		a.fails(t, "bad", "; the program of the workers has to be at the same place on every machine", "--environment_config="+config(t, "/none/dapple", ""))
	})
	t.Run("OtherProgram", func(t *testing.T) {
		a.fails(t, "bad", "Process died with exit code 1; a worker has ended: its own log says why; often its machine has another dapple",
			"--environment_config="+config(t, a.program, strings.Repeat("0", 64)))
	})
	t.Run("NoMemory", func(t *testing.T) {
		a.fails(t, "bad", "; a worker has ended, as a rule for want of memory", a.through(t, "ulimit -d 30000; exec"))
	})
	t.Run("StoreUnwritable", func(t *testing.T) {
		a.fails(t, "bad", "read-only file system; every worker has to write there, and --store names another place", a.through(t, mounted(t, `--bind "$0" "$0" && mount -o remount,bind,ro "$0"`, a.dir)))
	})
	t.Run("NotShared", func(t *testing.T) {
		must.Do(t, os.Mkdir(filepath.Join(a.dir, "there"), 0o700))
		a.fails(t, "there/bad", "or this worker does not see the launcher's directories; it draws nothing", a.through(t, mounted(t, `-t tmpfs none "$0"`, filepath.Join(a.dir, "there"))))
		if left, err := os.ReadDir(filepath.Join(a.dir, "there")); err != nil {
			t.Error(err)
		} else if len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
}

// job is the ID of the job of the one run there is.
func (a account) job(t *testing.T) string {
	t.Helper()
	const pattern = "dapple-run-*/job-1.json"
	a.found(t, pattern)
	var j struct{ ID string }
	list, _ := filepath.Glob(filepath.Join(a.dir, pattern)) // it was found
	b, err := os.ReadFile(list[0])
	if err == nil {
		err = json.Unmarshal(b, &j)
	}
	must.Do(t, err)
	return j.ID
}

// cancelled runs to an end that somebody else gives it while it writes; the next run publishes its release.
func (a account) cancelled(t *testing.T, cancel func(ctx context.Context, job string) error, charges int) {
	t.Helper()
	_, wait := a.start(t, a.at("cancelled", "--rows=200000000")...)
	a.found(t, "dapple-run-*/*.release")
	must.Pass(t, cancel(t.Context(), a.job(t)))
	status, said := wait()
	must.Hold(t, status == 4 && strings.Contains(said, "dapple: the job was cancelled, and not by this command\n"+kept), "exit status %d:\n%s", status, said)
	a.none(t, filepath.Join("cancelled*", "*"))
	a.finished(t, "after", a.run(t, 0, a.at("after", "--rows=10")...), charges)
	a.over(t)
}

// byServer cancels a job at the job server.
func (a account) byServer(ctx context.Context, job string) error {
	c, err := jobs.Dial(ctx, a.endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Cancel(ctx, job)
	return err
}

// deserted is a run whose launcher is killed while it writes: its job goes on. The same command does not pay again, but
// says how to wait for it.
func (a account) deserted(t *testing.T, charges int) {
	t.Helper()
	rows := []string{"--rows=5000000", "--run_id=left"}
	cmd, wait := a.start(t, a.at("deserted", rows...)...)
	a.found(t, "dapple-run-*/*.release")
	must.Do(t, cmd.Process.Kill())
	wait()
	must.Contain(t, a.run(t, 2, a.at("deserted", rows[0])...), "--run_id=left waits for it")
	said := a.run(t, 0, a.at("deserted", rows...)...)
	must.Hold(t, strings.Contains(said, "no other was submitted") || strings.Contains(said, "run left had finished before"), "%s", said)
	a.finished(t, "deserted", said, charges)
	a.over(t)
}
