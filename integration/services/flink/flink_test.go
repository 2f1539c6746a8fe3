// Package flink runs the command on Flink, embedded in Beam's job server for it. DAPPLE_FLINK_SERVER names the jar,
// which make engines builds.
package flink

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

	"github.com/dapple-dp/dapple/internal/jobs"
	"github.com/dapple-dp/dapple/internal/transformtest"
)

// patience is far above what anything here takes on a busy machine.
const patience = 5 * time.Minute

// serve starts a job server that starts a job again after a failure, and returns its address.
func serve(t *testing.T) (endpoint string) {
	t.Helper()
	jar := os.Getenv("DAPPLE_FLINK_SERVER")
	if jar == "" {
		t.Skip("missing: DAPPLE_FLINK_SERVER, Beam's job server for Flink; make engines runs it")
	}
	dir := t.TempDir()
	const conf = "jobmanager.bind-host: 127.0.0.1\ntaskmanager.bind-host: 127.0.0.1\nrest.bind-address: 127.0.0.1\n" +
		"restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\nrestart-strategy.fixed-delay.delay: 1 s\n"
	if err := os.WriteFile(filepath.Join(dir, "flink-conf.yaml"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	port := transformtest.Port(t)
	cmd := exec.Command("java", "-Xmx2g", "-jar", jar, "--flink-master=[local]", "--flink-conf-dir="+dir, "--job-host=127.0.0.1",
		fmt.Sprint("--job-port=", port), "--artifact-port=0", "--expansion-port=0", "--artifacts-dir="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with the workers that it starts
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it fails if all have ended
		_ = cmd.Wait()                                      // a killed process is an error
		if t.Failed() {
			t.Logf("end of the job server's log:\n%s", log.String()[max(0, log.Len()-8000):])
		}
	})
	endpoint = fmt.Sprint("127.0.0.1:", port)
	until(t, "the job server", func() bool {
		c, err := jobs.Dial(t.Context(), endpoint)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return endpoint
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("%s: not after %v", what, patience)
		}
	}
}

// command is the program, its working directory and a table of 4000 records of 2000 people in it.
type command struct{ program, dir string }

func build(t *testing.T) command {
	t.Helper()
	c := command{filepath.Join(t.TempDir(), "dapple"), t.TempDir()}
	cmd := exec.Command("go", "build", "-o", c.program, "./pipelines/dapple")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var b strings.Builder
	b.WriteString("person_id,sex,age\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "p%d,%s,%d\n", i/2, []string{"Female", "Male"}[i/2%2], i*7%100)
	}
	for name, text := range map[string]string{
		"people.csv": b.String(),
		"people.yaml": "privacy_id: person_id\ncolumns:\n  - {name: sex, type: STRING, values: [Female, Male], other: true}\n" +
			"  - {name: age, type: INT64, min: 0, max: 100, bins: 5, null: true}\n",
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// kept is what an interrupted run says that has drawn its noise.
const kept = "dapple: interrupted\nthe privacy budget of this run is spent, and its release is kept"

// start runs the command; wait waits for its end and returns what it has said.
func (c command) start(t *testing.T, args ...string) (cmd *exec.Cmd, wait func() (status int, said string)) {
	t.Helper()
	cmd = exec.Command(c.program, args...)
	cmd.Dir = c.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, as a rule
	return cmd, func() (int, string) {
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
		_ = cmd.Wait() // the status says how it ended
		return cmd.ProcessState.ExitCode(), out.String()
	}
}

func (c command) run(t *testing.T, status int, args ...string) string {
	t.Helper()
	_, wait := c.start(t, args...)
	got, said := wait()
	if got != status {
		t.Errorf("exit status %d, want %d:\n%s", got, status, said)
	}
	return said
}

// found waits for a file of a pattern.
func (c command) found(t *testing.T, pattern string) {
	t.Helper()
	until(t, pattern, func() bool {
		list, err := filepath.Glob(filepath.Join(c.dir, pattern))
		return err == nil && len(list) > 0
	})
}

// workers lists the processes that Flink has started.
func (c command) workers(t *testing.T) (pids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, exe := range list {
		var pid int
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(exe), "cmdline")) // a process that has ended has none
		if program, err := os.Readlink(exe); err == nil && program == c.program && bytes.Contains(args, []byte("--provision_endpoint=")) {
			if _, err := fmt.Sscanf(exe, "/proc/%d/exe", &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// account is a book of what runs on Flink have spent, with workers in processes.
type account struct {
	command
	endpoint string
}

func open(t *testing.T) account {
	a := account{endpoint: serve(t)}
	a.command = build(t)
	a.run(t, 0, "ledger", "book", "--create=people", "--input=people.csv", "--privacy_id=person_id", "--epsilon=9", "--delta=1e-6")
	return a
}

// at is a run's command line.
func (a account) at(output string, more ...string) []string {
	return append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=" + output, "--ledger=book", "--epsilon=1", "--delta=1e-9", "--method=dpam",
		"--runner=flink", "--endpoint=" + a.endpoint, "--environment_type=PROCESS", "--parallelism=2", "--shared"}, more...)
}

// finished checks the output of a run that has ended well, and the number of charges so far.
func (a account) finished(t *testing.T, output, said string, charges int) {
	t.Helper()
	a.run(t, 0, "verify", output)
	if !strings.Contains(said, "; 1 release, ") {
		t.Errorf("%s", said)
	}
	if book := a.run(t, 0, "ledger", "book"); !strings.Contains(book, fmt.Sprintf(" by %d run", charges)) {
		t.Errorf("want %d charges:\n%s", charges, book)
	}
}

// One run goes well, and one in Python; one is interrupted while it writes, and the next publishes its release. Each is charged once, and
// no worker and no staging is left.
func TestFlink(t *testing.T) {
	a := open(t)
	a.finished(t, "well", a.run(t, 0, a.at("well")...), 1)
	t.Run("Python", a.fromPython)

	cmd, wait := a.start(t, a.at("stopped", "--rows=200000000")...)
	a.found(t, "dapple-run-*/*.release")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if status, said := wait(); status != 1 || !strings.Contains(said, kept) {
		t.Errorf("exit status %d:\n%s", status, said)
	}
	if list, err := filepath.Glob(filepath.Join(a.dir, "stopped*", "*")); err != nil || len(list) > 0 {
		t.Errorf("left are %v, %v", list, err)
	}
	a.finished(t, "next", a.run(t, 0, a.at("next", "--rows=10")...), 2)
	if list, err := filepath.Glob(filepath.Join(a.dir, "dapple-run-*")); err != nil || len(list) > 0 {
		t.Errorf("left are %v, %v", list, err)
	}
	until(t, "the end of all workers", func() bool { return len(a.workers(t)) == 0 })
}

// All workers of a run are killed at once while they write: Flink starts the job again, or it waits for ever for data of
// the dead, as Beam's job server 2.70 does in BeamFnDataInboundObserver.awaitCompletion. Then Ctrl-C ends the job, and the
// next run publishes its release. Either way it is paid for once.
func TestKilledWorkers(t *testing.T) {
	a := open(t)
	cmd, wait := a.start(t, a.at("killed", "--rows=5000000")...)
	a.found(t, "dapple-run-*/*.release")
	atWork := a.workers(t)
	if len(atWork) == 0 {
		t.Error("no worker is there to be killed")
	}
	for _, pid := range atWork {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it fails if it has ended
	}
	defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Signal(os.Interrupt) }).Stop() // it fails if all went well
	status, said := wait()
	if status != 0 {
		t.Logf("the job did not go on")
		if status != 1 || !strings.Contains(said, kept) {
			t.Errorf("exit status %d:\n%s", status, said)
		}
		said = a.run(t, 0, a.at("killed", "--rows=10")...)
	}
	a.finished(t, "killed", said, 1)
}
