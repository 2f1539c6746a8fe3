package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A second of one core is what a command may take after it was told to end: the wall clock of a busy machine says nothing.
const mayTake = time.Second

// consumed returns the CPU time of a process, and whether it is over.
func consumed(pid int) (used time.Duration, over bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ") // behind the name
	if err != nil || strings.HasPrefix(rest, "Z") {
		return 0, true
	}
	ticks := 0
	for _, field := range strings.Fields(rest)[11:13] { // of the user, and of the system
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, false
}

// SIGINT ends every command within a second, on tables so wide that each takes longer than that, or as long as the command
// ever takes. Of a run the part before it begins is meant.
func TestInterruptedOnWideTables(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for wide tables; make integration works on them")
	}
	dir := t.TempDir()
	for _, table := range []struct{ name, columns, rows int }{{150, 150, 200}, {400, 400, 4000}, {10_000, 10_000, 400}} {
		var csv, domain bytes.Buffer
		domain.WriteString("privacy_id: none\ncolumns:\n")
		for i := range table.columns {
			fmt.Fprintf(&domain, "  - {name: c%d, type: INT64, min: 0, max: 2, null: true}\n", i)
			fmt.Fprintf(&csv, "%sc%d", strings.Repeat(",", min(i, 1)), i)
		}
		for row := range table.rows {
			for i := range table.columns {
				csv.WriteByte("\n,"[min(i, 1)])
				csv.WriteByte("012"[(row*(i%7+1)+i)%3])
			}
		}
		csv.WriteByte('\n')
		for name, b := range map[string][]byte{"csv": csv.Bytes(), "yaml": domain.Bytes()} {
			must.Do(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", table.name, name)), b, 0o600))
		}
	}
	for _, args := range []string{ // a release, a table in Parquet, a book, and what a run has left
		"synth --domain=150.yaml --input=150.csv --output=release --marginals=1 --epsilon=1 --delta=1e-9 --quiet",
		"sample --domain=10000.yaml --output=parquet --rows=2000 --quiet",
		"ledger book --create=all --input=400.csv --epsilon=9 --delta=1e-6",
	} {
		dapple(t, dir, strings.Fields(args)...).want(t, 0)
	}
	for i := range 500 {
		must.Do(t, os.MkdirAll(filepath.Join(dir, "tmp", fmt.Sprint("dapple-run-", i)), 0o700))
	}
	const early, late, soon = 200 * time.Millisecond, 700 * time.Millisecond, 40 * time.Millisecond
	met := map[string]bool{}
	for _, row := range []struct {
		at   []time.Duration
		args string
	}{
		{[]time.Duration{early, late}, "infer --input=10000.csv --privacy_id=none --from_data --output=proposed.yaml"},
		{[]time.Duration{early, late}, "infer --input=parquet --privacy_id=none --from_data --output=proposed.yaml"},
		{[]time.Duration{early, late}, "check --domain=10000.yaml --input=10000.csv"},
		{[]time.Duration{early, late}, "check --domain=10000.yaml --input=parquet"},
		{[]time.Duration{early, late}, "evaluate --domain=400.yaml --input=400.csv --synthetic=400.csv --marginals=2"},
		{[]time.Duration{early, late}, "evaluate --domain=10000.yaml --input=parquet --synthetic=parquet --marginals=1"},
		{[]time.Duration{early, late}, "plan --domain=400.yaml --epsilon=1 --delta=1e-9"},
		{[]time.Duration{early, late}, "synth --domain=400.yaml --input=400.csv --output=out --epsilon=1 --delta=1e-9"},
		{[]time.Duration{early}, "sample --domain=10000.yaml --rows=300000 --output=out"},
		{[]time.Duration{late, 2 * time.Second}, "sample --model=release --rows=3000000 --output=out"},
		{[]time.Duration{soon}, "verify release"},
		{[]time.Duration{soon}, "report release --html=page.html"},
		{[]time.Duration{soon}, "query release SELECT~c0,~COUNT(*)~FROM~rows~GROUP~BY~c0"},
		{[]time.Duration{soon}, "ledger book"},
		{[]time.Duration{soon}, "clean"},
		{[]time.Duration{soon}, "expand --port=0"},
	} {
		args := strings.Fields(row.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		for _, at := range row.at {
			if interrupt(t, dir, at, args...) {
				met[args[0]] = true
			}
		}
	}
	for _, c := range commands(nil, false) {
		quick := c.group == groupKeep || c.name == "verify" || c.name == "report" || c.name == "query"
		must.Hold(t, met[c.name] || quick, "dapple %s was never interrupted", c.name)
	}
	must.Fails(os.Stat(filepath.Join(dir, "out")))(t, "", "an interrupted run has left an output")
}

// interrupt sends SIGINT to a command once it has taken so much CPU time, and awaits its end. It reports whether the
// command was interrupted: it may be over before, or its work just then.
func interrupt(t *testing.T, dir string, at time.Duration, args ...string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "GOGC=100") // as people run it: its memory is looked at
	var said bytes.Buffer
	cmd.Stderr = &said
	must.Do(t, cmd.Start())
	before, over := consumed(cmd.Process.Pid)
	for patient := time.Now(); !over && before < at && (args[0] != "expand" || time.Since(patient) < 10*time.Second); before, over = consumed(cmd.Process.Pid) {
		time.Sleep(5 * time.Millisecond)
	}
	if !over {
		err := cmd.Process.Signal(os.Interrupt)
		must.Need(t, err == nil, "dapple %s: %v", strings.Join(args, " "), err)
	}
	_ = cmd.Wait() // how it ended is looked at
	took, status := cmd.ProcessState.SystemTime()+cmd.ProcessState.UserTime()-before, cmd.ProcessState.ExitCode()
	interrupted := (status == 1 || status == 4) && strings.Contains(said.String(), "interrupted")
	if status == -1 && before < 100*time.Millisecond && said.Len() == 0 { // the signal came before main did, and ended the process
		interrupted = true
	}
	t.Logf("dapple %s: interrupted at %v: %v, took another %v of CPU", args[0], before, interrupted, took)
	must.Hold(t, (interrupted || status == 0) && (over || took <= mayTake),
		"dapple %s, interrupted at %v: exit status %d after another %v of CPU, want 1 and at most %v, and %q in\n%.500s", strings.Join(args, " "), before, status, took, mayTake, "interrupted", said.String())
	sys, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	must.Hold(t, !ok || sys.Maxrss <= 1<<20, "dapple %s took %d MB", strings.Join(args, " "), sys.Maxrss>>10)
	return interrupted
}

// A proposal for 10,000 columns takes memory that grows with the columns, and not with their pairs, and says where it looked
// for constraints.
func TestInferOfAWideTable(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to propose 10,000 columns; make integration does")
	}
	dir := t.TempDir()
	var csv bytes.Buffer
	for row := range 51 {
		for i := range 10_000 {
			if csv.WriteByte("\n,"[min(i, 1)]); row == 0 {
				fmt.Fprintf(&csv, "c%d", i)
			} else {
				csv.WriteByte("012"[(row*(i%7+1)+i)%3])
			}
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "wide.csv"), csv.Bytes()[1:], 0o600))
	cmd := exec.CommandContext(t.Context(), binary, "infer", "--input=wide.csv", "--privacy_id=none", "--from_data", "--output=wide.yaml")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOGC=100") // as people run it: its memory is looked at
	out, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%v", errors.Join(err, errors.New(string(out))))
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d MB, %v of CPU", usage.Maxrss>>10, cmd.ProcessState.UserTime())
	must.Hold(t, usage.Maxrss <= 1<<20, "infer took %d MB, want at most 1024", usage.Maxrss>>10)
	b, err := os.ReadFile(filepath.Join(dir, "wide.yaml"))
	must.Hold(t, err == nil && bytes.Contains(b, []byte("\n# Constraints were looked for between the first 200 columns of the table alone.\n")),
		"%v; the proposal does not say where it looked for constraints", err)
}
