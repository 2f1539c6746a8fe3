package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// running is a command that has been started; its lines of standard error come one by one.
type running struct {
	cmd   *exec.Cmd
	temp  string // TMPDIR
	lines chan string
	all   *lockedText
}

type lockedText struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedText) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.WriteString(line + "\n")
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	return startWith(t, dir, t.TempDir(), args...)
}

// startWith is start with a temporary directory of its own.
func startWith(t *testing.T, dir, temp string, args ...string) *running {
	t.Helper()
	r := &running{cmd: exec.Command(binary, args...), temp: temp, lines: make(chan string, 1000), all: &lockedText{}}
	r.cmd.Dir = dir
	r.cmd.Env = append(os.Environ(), "TMPDIR="+r.temp)
	pipe := must.Value(r.cmd.StderrPipe())(t)
	must.Do(t, r.cmd.Start())
	t.Cleanup(func() { r.cmd.Process.Kill() })
	go func() {
		defer close(r.lines)
		for s := bufio.NewScanner(pipe); s.Scan(); {
			r.all.add(s.Text())
			r.lines <- s.Text()
		}
	}()
	return r
}

// until waits for a line that begins with one of the stages.
func (r *running) until(t *testing.T, stages ...string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-r.lines:
			must.Need(t, ok, "the command ended before %v:\n%s", stages, r.all)
			for _, stage := range stages {
				if strings.HasPrefix(line, stage) {
					return
				}
			}
		case <-late:
			t.Fatalf("no %v after %v:\n%s", stages, patience, r.all)
		}
	}
}

// ending is far above what a command takes to end after a signal on a busy machine, and below what it takes
// when it goes on: for ever, of a pipe.
const ending = time.Minute

// end sends a signal and returns the exit status, how long the command took to end, and how long it worked.
// One that does not end is killed.
func (r *running) end(t *testing.T, signal os.Signal) (status int, took, worked time.Duration) {
	t.Helper()
	began, before := time.Now(), processorTime(r.cmd.Process.Pid)
	must.Do(t, r.cmd.Process.Signal(signal))
	defer time.AfterFunc(ending, func() { r.cmd.Process.Kill() }).Stop()
	for range r.lines {
	}
	_ = r.cmd.Wait() // the status says how it ended
	s := r.cmd.ProcessState
	return s.ExitCode(), time.Since(began), s.UserTime() + s.SystemTime() - before
}

// processorTime returns the time that a process has worked so far, which does not depend on what else the
// machine does. Where the system does not tell, it is 1 hour: nothing is known of what follows.
func processorTime(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, found := strings.Cut(string(b), ") ") // the name of the command can hold blanks
	fields := strings.Fields(after)
	if err != nil || !found || len(fields) < 13 {
		return time.Hour
	}
	user, userErr := strconv.Atoi(fields[11])
	system, systemErr := strconv.Atoi(fields[12])
	if userErr != nil || systemErr != nil {
		return time.Hour
	}
	return time.Duration(user+system) * time.Second / 100
}

// long is a request that is busy for some time in the named stage.
var long = map[string][]string{
	"reading": {"--method=dpam"},
	"fit":     {"--method=dpfw"},
	"writing": {"--method=dpam", "--rows=30000000"},
}

// longDomain has two million cells.
const longDomain = peopleDomain + `  - {name: a, type: FLOAT64, min: 0, max: 1, bins: 300, fallback: 0}
  - {name: b, type: BOOL, null: true}
  - {name: c, type: FLOAT64, min: 0, max: 1, bins: 4, fallback: 0}
  - {name: d, type: BOOL, fallback: false}
`

func longTable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "people.yaml", longDomain)
	put(t, dir, "people.csv", "person_id,sex,age,income,day,a,b,c,d\np1,Female,3,4,2024-01-01,0.5,true,0.1,true\n")
	return dir
}

// Ctrl-C stops within two seconds of work, wherever the run is, leaves nothing, and says what was spent. Work is
// counted, not the clock, which also counts what other programs do: 0.05 s of both were measured. A run that goes
// on ends with another status, or works for longer.
func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to let runs get under way; make integration runs it")
	}
	const drawn = "nothing was written, but noise had been drawn: count the privacy budget of this run as spent"
	for _, tt := range []struct {
		stage string
		shown []string
		want  string
	}{
		{"reading", []string{"reading"}, unspent},
		{"fit", []string{"fit", "select", "solv"}, drawn},
		{"writing", []string{"writing"}, released},
	} {
		t.Run(tt.stage, func(t *testing.T) {
			dir := people(t, 10)
			switch tt.stage {
			case "reading":
				pipeInput(t, dir)
			case "fit":
				dir = longTable(t)
			}
			r := start(t, dir, synth(long[tt.stage]...)...)
			if tt.stage == "reading" { // nothing is shown of a pipe, whose size is not known
				defer openedPipe(t, filepath.Join(dir, "people.csv")).Close()
			} else {
				r.until(t, tt.shown...)
			}
			status, took, worked := r.end(t, os.Interrupt)
			t.Logf("%v after the signal, %v of work", took, worked)
			said := r.all.String()
			if wanted := map[string]int{unspent: 1, drawn: 1, released: 4}[tt.want]; status != wanted || took > ending || worked > 2*time.Second || !strings.Contains(said, "dapple: interrupted\n"+tt.want) {
				t.Errorf("exit status %d after %v and %v of work, and said:\n%s", status, took, worked, said)
			}
			noOutput(t, filepath.Join(dir, "out"))
			left := names(t, r.temp)
			must.Hold(t, len(left) <= 1 && (len(left) == 1) == (tt.want == released), "temporary files are left: %v", left)
		})
	}
}

// A terminal that closes is an interrupt like others, unless the run was told not to mind (nohup).
func TestHangup(t *testing.T) {
	heard := make(chan os.Signal, 1) // a signal that is handled here is not ignored by the command, as under nohup it would be
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	dir := people(t, 10)
	pipeInput(t, dir)
	r := start(t, dir, synth("--method=dpam")...)
	defer openedPipe(t, filepath.Join(dir, "people.csv")).Close()
	status, _, _ := r.end(t, syscall.SIGHUP)
	said := r.all.String()
	must.Hold(t, status == 1 && strings.Contains(said, "dapple: interrupted\n"+unspent+"\n"), "exit status %d, and said:\n%s", status, said)
	noOutput(t, filepath.Join(dir, "out"))
	left := names(t, r.temp)
	must.Hold(t, len(left) <= 0, "temporary files are left: %v", left)
}

// openedPipe waits until somebody reads a pipe, and returns its other end: the reader waits for it.
func openedPipe(t *testing.T, path string) *os.File {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return f
		}
		must.Need(t, errors.Is(err, syscall.ENXIO), "%v", err) // nobody has it open
	}
	t.Fatalf("nobody has read %s after %v", filepath.Base(path), patience)
	return nil
}

// A killed run leaves only staged files, which no reader looks at and the next run does not mind. It takes up the
// release, for which the killed one has paid.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to let a run get under way; make integration runs it")
	}
	dir := people(t, 10)
	r := start(t, dir, synth(long["writing"]...)...)
	r.until(t, "writing")
	r.end(t, syscall.SIGKILL)
	left, err := filepath.Glob(filepath.Join(dir, "out*"))
	must.Hold(t, err == nil && len(left) <= 0, "the killed run left %v, %v", left, err)
	next := dappleWith(t, dir, r.temp, synth("--method=dpam", "--rows=10", "--json=next.json")...)
	next.want(t, 0)
	notes, err := os.ReadFile(filepath.Join(dir, "next.json")) // the last lines have the first notes alone
	must.Hold(t, err == nil && strings.HasPrefix(next.stdout, "adopted the release belongs to the run begun ") && strings.Contains(string(notes), "beside out.release are files of 1 other run that did not finish"),
		"the next run does not say what it has taken up, and what is left (%v):\n%s%s", err, next.stdout, notes)
	rows := names(t, filepath.Join(dir, "out"))
	must.Hold(t, len(rows) == 3 && strings.HasPrefix(rows[0], "part-"), "the next run left %v", rows)
	dapple(t, dir, "verify", "out").want(t, 0)
}
