package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/dapple-dp/dapple/internal/dptest"
)

// terminal opens a pseudo-terminal: what is written to its second end is read from its first.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("missing: pseudo-terminals")
	}
	t.Cleanup(func() { screen.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(value))); e != 0 {
			t.Skip("missing: pseudo-terminals:", e)
		}
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skip("missing: pseudo-terminals:", err)
	}
	return screen, tty
}

// On a terminal one line moves: it shows every stage with the time since the start, which never goes back, and is wiped.
func TestClockOnATerminal(t *testing.T) {
	screen, tty := terminal(t)
	cmd := exec.CommandContext(t.Context(), binary, synth("--rows=20000")...)
	cmd.Dir, cmd.Stderr = people(t, 20_000), tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var shown strings.Builder
	for b := make([]byte, 4096); ; {
		n, err := screen.Read(b)
		shown.Write(b[:n])
		if err != nil {
			break // the other end is closed
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %q", err, shown.String())
	}
	text := shown.String()
	for _, stage := range []string{"reading ", "measure ", "writing "} {
		if !strings.Contains(text, "\r"+stage) {
			t.Errorf("no stage %s in %q", stage, text)
		}
	}
	last := -1.0
	for _, m := range regexp.MustCompile(`\r\w+[^,\r]*, ([0-9.]+)(ms|s)`).FindAllStringSubmatch(text, -1) {
		var at float64
		if _, err := fmt.Sscan(m[1], &at); err != nil {
			t.Fatal(err)
		}
		if m[2] == "ms" {
			at /= 1000
		}
		if at < last {
			t.Errorf("the clock goes back from %g to %g s", last, at)
		}
		last = at
	}
	if last < 0 || strings.Contains(text, "\n") || !strings.HasSuffix(text, " \r") {
		t.Errorf("no time is shown, or the line is left: %q", text)
	}
}

// Estimates of ten seconds or more are right to a factor of two, of reading and of writing, and the fit is never said to end
// in less than half of what it takes. The process is stopped and continued, so that it has a tenth of a processor: a rate
// that does not follow the load of the machine.
func TestEstimatesOnATerminal(t *testing.T) {
	if !dptest.Nightly() {
		t.Skip("what it measures are times, which a busy machine spoils: make nightly runs it")
	}
	screen, tty := terminal(t)
	dir := people(t, 2_000_000)
	cmd := exec.CommandContext(t.Context(), binary, synth("--rows=15000000", "--method=dpam")...)
	cmd.Dir, cmd.Stderr = dir, tty
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	ended := make(chan struct{})
	var clock sync.WaitGroup
	clock.Go(func() { throttle(cmd.Process, ended) })
	type line struct {
		at    time.Duration
		stage string
		left  time.Duration // as it was said; 0: it was not
	}
	var lines []line
	estimate := regexp.MustCompile(`^(\w+)[^;]*, [0-9hms.]+(?:; \w+ ends in (?:at most )?about ([0-9hms]+))? *$`)
	rest := ""
	for b := make([]byte, 4096); ; {
		n, err := screen.Read(b)
		shown := strings.Split(rest+string(b[:n]), "\r")
		rest = shown[len(shown)-1]
		for _, text := range shown[:len(shown)-1] {
			if m := estimate.FindStringSubmatch(text); m != nil {
				left, _ := time.ParseDuration(m[2]) // "" is 0
				lines = append(lines, line{time.Since(began), m[1], left})
			}
		}
		if err != nil {
			break // the other end is closed
		}
	}
	close(ended)
	clock.Wait()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for i, l := range lines {
		end := time.Since(began)
		for _, later := range lines[i:] {
			if later.stage != l.stage {
				end = later.at
				break
			}
		}
		took := end - l.at
		if l.left == 0 || max(l.left, took) < 10*time.Second {
			continue
		}
		said[l.stage]++
		if took > 2*l.left || l.left > 2*took && l.stage != "fit" {
			t.Errorf("%s at %v: %v left, and it took %v", l.stage, l.at, l.left, took)
		}
	}
	if said["reading"]+said["writing"] < 4 { // a fast machine reads in less than ten seconds
		t.Errorf("estimates of ten seconds or more: %v", said)
	}
	t.Logf("estimates of ten seconds or more: %v; %v in all", said, time.Since(began))
}

// throttle lets a process have 40 ms of a processor in each 400 ms until it has ended.
func throttle(p *os.Process, ended <-chan struct{}) {
	slots := time.NewTicker(400 * time.Millisecond)
	defer slots.Stop()
	for {
		until := processorTime(p.Pid) + 40*time.Millisecond
		_ = p.Signal(syscall.SIGCONT) // it may have ended
		for processorTime(p.Pid) < until {
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
		_ = p.Signal(syscall.SIGSTOP)
		select {
		case <-ended:
			return
		case <-slots.C:
		}
	}
}

// Errors as JSON are an object for each fault, with the exit status and what to change.
func TestErrorsInJSON(t *testing.T) {
	got := dapple(t, t.TempDir(), "synth", "--log=json", "--epsilom=1", "--delta=2", "--domain=nowhere.yaml", "--input=x.csv", "--output=out")
	got.want(t, 2)
	seen := map[string]string{}
	for line := range strings.Lines(got.stderr) {
		var l struct {
			Where, What, Fix, Level string
			Status                  int `json:"exit_status"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if l.Level != "error" || l.Status != 2 || l.What == "" {
			t.Errorf("got %s", line)
		}
		seen[l.Where] = l.Fix
	}
	if seen["--epsilom"] != "did you mean --epsilon?" || len(seen) < 4 {
		t.Errorf("got %v", seen)
	}
	dapple(t, t.TempDir(), "synth", "--log=xml").want(t, 2, "want text or json")
}
