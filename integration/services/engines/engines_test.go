// Package engines runs the command on Flink and on Spark, by Beam's job servers for them, which make engines builds.
package engines

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

	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// patience is far above what anything here takes on a busy machine.
const patience = 5 * time.Minute

// jars returns what make engines has built of a variable's name, and leaves the test out if it has not.
func jars(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("missing: %s, of Beam's job server; make engines runs it", variable)
	}
	return path
}

// java starts a virtual machine with a small heap, and ends it after the test with the workers that it has started.
func java(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("java", append(append([]string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}, opened...), args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with the workers that it starts
	cmd.Dir = t.TempDir()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it fails if all have ended
		_ = cmd.Wait()                                      // a killed process is an error
		if t.Failed() {
			name := fmt.Sprintf("%s-%d.log", t.Name(), cmd.Process.Pid)
			must.Pass(t, os.WriteFile(filepath.Join("../../../out", name), log.Bytes(), 0o600))
			t.Logf("the log of Java, out/%s, ends:\n%s", name, log.Bytes()[max(0, log.Len()-800):]) // short: a line of CI shows its end
		}
	})
	return cmd
}

// opened are the packages of Java that Flink and Spark look into.
var opened = func() (args []string) {
	for _, p := range []string{"java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.text", "java.time",
		"java.util", "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch"} {
		args = append(args, "--add-opens=java.base/"+p+"=ALL-UNNAMED")
	}
	return args
}()

// serve starts a job server by the end of a command line, and returns its address.
func serve(t *testing.T, args ...string) (endpoint string) {
	t.Helper()
	port := transformtest.Port(t)
	java(t, append(args, "--job-host=127.0.0.1", fmt.Sprint("--job-port=", port), "--artifact-port=0", "--expansion-port=0",
		"--artifacts-dir="+t.TempDir())...)
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
		must.Need(t, time.Since(began) <= patience, "%s: not after %v", what, patience)
	}
}

// command is the program, its working directory and a table of 4000 records of 2000 people in it.
type command struct{ program, dir string }

func build(t *testing.T) command {
	t.Helper()
	c := command{filepath.Join(t.TempDir(), "dapple"), t.TempDir()}
	cmd := exec.Command("go", "build", "-o", c.program, "./pipelines/dapple")
	cmd.Dir = "../../.."
	out, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
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
		must.Do(t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600))
	}
	return c
}

// kept is what an interrupted run says that has drawn its noise; unspent ends the words of a run that has not.
const (
	kept    = "the privacy budget of this run is spent, and its release is kept"
	unspent = "nothing was written and no privacy budget was spent"
)

// start runs the command; wait waits for its end and returns what it has said.
func (c command) start(t *testing.T, args ...string) (cmd *exec.Cmd, wait func() (status int, said string)) {
	t.Helper()
	cmd = exec.Command(c.program, args...)
	cmd.Dir = c.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must.Do(t, cmd.Start())
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
	must.Hold(t, got == status, "exit status %d, want %d:\n%s", got, status, said)
	return said
}

// parts is a pattern of files that are being written.
const parts = "dapple-*.tmp/parts/*/part-*"

// found waits for a file of a pattern.
func (c command) found(t *testing.T, pattern string) {
	t.Helper()
	until(t, pattern, func() bool {
		list, err := filepath.Glob(filepath.Join(c.dir, pattern))
		return err == nil && len(list) > 0
	})
}

// workers lists the processes that an engine has started.
func (c command) workers(t *testing.T) (pids []int) {
	t.Helper()
	list := must.Value(filepath.Glob("/proc/[0-9]*/exe"))(t)
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

// account is a book of what runs on an engine have spent, with workers in processes.
type account struct {
	command
	runner, endpoint string
}

func open(t *testing.T, runner, endpoint string) account {
	a := account{runner: runner, endpoint: endpoint}
	a.command = build(t)
	a.run(t, 0, "ledger", "book", "--create=people", "--input=people.csv", "--privacy_id=person_id", "--epsilon=9", "--delta=1e-6")
	return a
}

// at is a run's command line.
func (a account) at(output string, more ...string) []string {
	return append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=" + output, "--ledger=book", "--epsilon=1", "--delta=1e-9", "--method=dpam",
		"--runner=" + a.runner, "--endpoint=" + a.endpoint, "--environment_type=PROCESS", "--parallelism=2", "--shared"}, more...)
}

// finished checks that the model and its error were released once, the output of a run that has ended well, and the number of charges so far.
func (a account) finished(t *testing.T, output, said string, charges int) {
	t.Helper()
	a.run(t, 0, "verify", output)
	must.Hold(t, strings.Contains(said, "; 2 releases, "), "%s", said)
	must.Contain(t, a.run(t, 0, "ledger", "book"), fmt.Sprintf(" by %d run", charges), "want %d charges", charges)
}

// withoutDomain lets a job find the domain, and another one write the rows. So it goes on if the launcher is killed once noise is
// drawn: the next one waits for the job or adopts what it has found, and no more noise is drawn to find it.
func (a account) withoutDomain(t *testing.T) {
	at := func(output string) []string {
		return []string{"synth", "people.csv", "--privacy_id=person_id", "--output=" + output, "--epsilon=5", "--delta=1e-6",
			"--runner=" + a.runner, "--endpoint=" + a.endpoint, "--environment_type=PROCESS", "--parallelism=2", "--shared"}
	}
	said := a.run(t, 0, at("found")...)
	must.Hold(t, strings.Count(said, "Submitted job: ") == 2, "want two jobs:\n%s", said)
	a.run(t, 0, "verify", "found")
	cmd, wait := a.start(t, at("killed")...)
	a.found(t, "killed.found/found-*.found.drawn")
	must.Do(t, cmd.Process.Kill())
	wait()
	a.run(t, 0, at("killed")...)
	a.run(t, 0, "verify", "killed")
	for _, output := range []string{"found", "killed"} {
		domain, err := os.ReadFile(filepath.Join(a.dir, output+".release", "_domain.yaml"))
		must.Hold(t, err == nil && strings.Contains(string(domain), `"Female"`) && strings.Contains(string(domain), `name: "age"`), "found, %v:\n%s", err, domain)
	}
	a.none(t, "*.found")
	a.over(t)
}

// interrupted stops a run while it writes, and checks that its release is published by the next one.
func (a account) interrupted(t *testing.T, charges int) {
	t.Helper()
	cmd, wait := a.start(t, a.at("stopped", "--rows=200000000")...)
	a.found(t, "dapple-run-*/*.release")
	must.Do(t, cmd.Process.Signal(os.Interrupt))
	status, said := wait()
	must.Hold(t, status == 4 && strings.Contains(said, "dapple: interrupted\n"+kept), "exit status %d:\n%s", status, said)
	a.none(t, filepath.Join("stopped*", "*"))
	a.finished(t, "next", a.run(t, 0, a.at("next", "--rows=10")...), charges)
}

// none checks that there are no files of a pattern.
func (c command) none(t *testing.T, pattern string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(c.dir, pattern))
	must.Hold(t, err == nil && len(list) <= 0, "left are %v, %v", list, err)
}

// over checks that nothing is left of runs that have ended: neither stagings nor workers.
func (a account) over(t *testing.T) {
	t.Helper()
	a.none(t, "dapple-run-*")
	until(t, "the end of all workers", func() bool { return len(a.workers(t)) == 0 })
}

// kill kills all workers at once, and says how many they were.
func (a account) kill(t *testing.T) (n int) {
	t.Helper()
	for _, pid := range a.workers(t) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil { // it fails if the worker has ended
			n++
		}
	}
	return n
}
