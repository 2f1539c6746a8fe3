package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/widetable"
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
	cmd := exec.CommandContext(t.Context(), binary, synth("--rows=20000", "--method=rake")...)
	cmd.Dir, cmd.Stderr = people(t, 20_000), tty
	must.Do(t, cmd.Start())
	tty.Close()
	var shown strings.Builder
	for b := make([]byte, 4096); ; {
		n, err := screen.Read(b)
		shown.Write(b[:n])
		if err != nil {
			break // the other end is closed
		}
	}
	err := cmd.Wait()
	must.Need(t, err == nil, "%v: %q", err, shown.String())
	text := shown.String()
	for _, stage := range []string{"reading ", "measure ", "writing "} {
		must.Hold(t, strings.Contains(text, "\r"+stage), "no stage %s in %q", stage, text)
	}
	last := -1.0
	for _, m := range regexp.MustCompile(`\r\w+[^,\r]*, ([0-9.]+)(ms|s)`).FindAllStringSubmatch(text, -1) {
		var at float64
		must.Value(fmt.Sscan(m[1], &at))(t)
		if m[2] == "ms" {
			at /= 1000
		}
		must.Hold(t, at >= last, "the clock goes back from %g to %g s", last, at)
		last = at
	}
	must.Hold(t, last >= 0 && !strings.Contains(text, "\n") && strings.HasSuffix(text, " \r"), "no time is shown, or the line is left: %q", text)
}

// What the line says of ten seconds or more is right to a factor of two, of the fit too, whose steps are a forecast. A slow
// machine is one on which the process has a tenth of a processor. Its own processor time is the clock of the comparison, by
// the rate of the stage so far: what else the machine does plays no part.
func TestEstimatesOnATerminal(t *testing.T) {
	if !dptest.Nightly() {
		t.Skip("missing: DAPPLE_NIGHTLY, for two runs that are asleep for most of a minute, and a machine that is not full")
	}
	for _, tt := range []struct {
		name   string
		table  widetable.Params
		leave  string // columns that are not in the domain, so that it can be a universe
		method string
		more   []string
		stages []string // that so much is said about
	}{
		{"descent", widetable.Params{Columns: 8, People: 60_000, Seed: 3}, "c004|c006", "dpam", []string{"--epsilon=3", "--rows=15000000"}, []string{"fit", "writing"}},
		{"raking", widetable.Params{Columns: 40, People: 700_000, Seed: 4}, "none", "rake", []string{"--epsilon=1"}, []string{"reading", "fit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, w := t.TempDir(), widetable.New(tt.table)
			var domain, table bytes.Buffer
			must.Do(t, errors.Join(w.WriteDomain(&domain), w.WriteCSV(&table)))
			put(t, dir, "wide.yaml", regexp.MustCompile(`(?m)^.*name: (`+tt.leave+`)_.*\n`).ReplaceAllString(domain.String(), ""))
			put(t, dir, "wide.csv", table.String())
			args := append([]string{"synth", "--domain=wide.yaml", "--input=wide.csv", "--output=out", "--delta=1e-9", "--method=" + tt.method}, tt.more...)
			said := map[string]int{}
			for _, e := range estimatesOf(t, dir, args) {
				if max(e.left, e.took) < 10*time.Second {
					continue
				}
				said[e.stage]++
				must.Hold(t, e.took <= 2*e.left && e.left <= 2*e.took, "%q: %v left, and it took %v", e.line, e.left, e.took)
			}
			t.Logf("estimates of ten seconds or more: %v", said)
			for _, stage := range tt.stages {
				must.Hold(t, said[stage] >= 3, "of %s: %d estimates of ten seconds or more", stage, said[stage])
			}
		})
	}
}

// estimate is what a line on a terminal says of the end of a stage, and how long that took at the speed of the stage so far.
type estimate struct {
	stage, line string
	left, took  time.Duration
}

var estimateLine = regexp.MustCompile(`^(\w+)(?: ([0-9]+) of about)?[^;]*; \w+ ends in about ([0-9hms]+) *$`)

// estimatesOf runs the command on a terminal, with a tenth of a processor, and returns all that is said of ends of stages.
func estimatesOf(t *testing.T, dir string, args []string) (out []estimate) {
	screen, tty := terminal(t)
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir, cmd.Stderr = dir, tty
	must.Do(t, cmd.Start())
	tty.Close()
	ended := make(chan struct{})
	var clock sync.WaitGroup
	clock.Go(func() { throttle(cmd.Process, ended) })
	type line struct {
		stage, text string
		steps       int
		left        time.Duration // as it was said; 0: it was not
		at          time.Time
		worked      time.Duration
	}
	var lines []line
	rest := ""
	for b := make([]byte, 4096); ; {
		n, err := screen.Read(b)
		shown := strings.Split(rest+string(b[:n]), "\r")
		rest = shown[len(shown)-1]
		for _, text := range shown[:len(shown)-1] {
			text = strings.TrimRight(text, " ")
			l := line{text: text, at: time.Now(), worked: processorTime(cmd.Process.Pid)}
			l.stage, _, _ = strings.Cut(strings.NewReplacer(",", " ").Replace(text), " ")
			if m := regexp.MustCompile(`^\w+ ([0-9]+) of about`).FindStringSubmatch(text); m != nil {
				l.steps, _ = strconv.Atoi(m[1]) // it is a number
			}
			if m := estimateLine.FindStringSubmatch(text); m != nil {
				l.left, _ = time.ParseDuration(m[3]) // a text that is none fails below
			}
			if m := regexp.MustCompile(`^writing ([0-9]+) of ([0-9]+),`).FindStringSubmatch(text); m != nil && m[1] == m[2] {
				l.stage = "publishing"
			}
			if text != "" {
				lines = append(lines, l)
			}
		}
		if err != nil {
			break // the other end is closed
		}
	}
	close(ended)
	clock.Wait()
	must.Do(t, cmd.Wait())
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to].stage == lines[from].stage && lines[to].steps >= lines[to-1].steps {
			to++
		}
		if to == len(lines) {
			break // nobody sees where the last stage ends
		}
		for _, l := range lines[from+1 : to] {
			if worked := l.worked - lines[from].worked; l.left > 0 && worked > 0 {
				took := float64(lines[to].worked-l.worked) * float64(l.at.Sub(lines[from].at)) / float64(worked)
				out = append(out, estimate{l.stage, l.text, l.left, time.Duration(took)})
			}
		}
		from = to
	}
	return out
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
		err := json.Unmarshal([]byte(line), &l)
		must.Need(t, err == nil, "%q: %v", line, err)
		must.Hold(t, l.Level == "error" && l.Status == 2 && l.What != "", "got %s", line)
		seen[l.Where] = l.Fix
	}
	must.Hold(t, seen["--epsilom"] == "did you mean --epsilon?" && len(seen) >= 4, "got %v", seen)
	dapple(t, t.TempDir(), "synth", "--log=xml").want(t, 2, "want text or json")
}
