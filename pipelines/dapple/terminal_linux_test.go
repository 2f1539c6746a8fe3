package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"
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
