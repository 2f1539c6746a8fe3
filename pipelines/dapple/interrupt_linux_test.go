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
)

// A second of one core is what a command may take after it was told to end: the wall clock of a busy machine says nothing.
const mayTake = time.Second

// consumed returns the CPU time of a process that is not over.
func consumed(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ") // behind the name
	if err != nil || strings.HasPrefix(rest, "Z") {
		t.Fatalf("the command is over before it could be interrupted: %v", err)
	}
	ticks := 0
	for _, field := range strings.Fields(rest)[11:13] { // of the user, and of the system
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// SIGINT ends every command that spends nothing within a second, and a run before it has begun, on tables so wide that
// each takes longer than that.
func TestInterruptedOnWideTables(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for wide tables; make integration works on them")
	}
	dir := t.TempDir()
	for _, table := range []struct{ name, columns, rows int }{{400, 400, 4000}, {10_000, 10_000, 400}} {
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
		for name, b := range map[string][]byte{"csv": csv.Bytes(), "yaml": domain.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", table.name, name)), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range []string{
		"infer --input=10000.csv --from_data --output=proposed.yaml",
		"check --domain=10000.yaml --input=10000.csv",
		"evaluate --domain=400.yaml --input=400.csv --synthetic=400.csv --marginals=2",
		"plan --domain=400.yaml --epsilon=1 --delta=1e-9",
		"synth --domain=400.yaml --input=400.csv --output=out --epsilon=1 --delta=1e-9",
	} {
		for _, at := range []time.Duration{200 * time.Millisecond, 700 * time.Millisecond} {
			interrupt(t, dir, at, strings.Fields(args)...)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("an interrupted run has left an output")
	}
}

// interrupt sends SIGINT to a command once it has taken so much CPU time, and awaits its end.
func interrupt(t *testing.T, dir string, at time.Duration, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	before := consumed(t, cmd.Process.Pid)
	for ; before < at; before = consumed(t, cmd.Process.Pid) {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatalf("dapple %s: %v", strings.Join(args, " "), err)
	}
	_ = cmd.Wait() // how it ended is looked at
	took := cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime() - before
	t.Logf("dapple %s: interrupted at %v, took another %v of CPU", args[0], before, took)
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "interrupted") || took > mayTake {
		t.Errorf("dapple %s, interrupted at %v: exit status %d after another %v of CPU, want 1 and at most %v, and %q in\n%.500s",
			strings.Join(args, " "), before, cmd.ProcessState.ExitCode(), took, mayTake, "interrupted", said.String())
	}
	if sys, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && sys.Maxrss > 1<<20 {
		t.Errorf("dapple %s took %d MB", strings.Join(args, " "), sys.Maxrss>>10)
	}
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
	if err := os.WriteFile(filepath.Join(dir, "wide.csv"), csv.Bytes()[1:], 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "infer", "--input=wide.csv", "--privacy_id=none", "--from_data", "--output=wide.yaml")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(errors.Join(err, errors.New(string(out))))
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d MB, %v of CPU", usage.Maxrss>>10, cmd.ProcessState.UserTime())
	if usage.Maxrss > 1<<20 {
		t.Errorf("infer took %d MB, want at most 1024", usage.Maxrss>>10)
	}
	b, err := os.ReadFile(filepath.Join(dir, "wide.yaml"))
	if err != nil || !bytes.Contains(b, []byte("\n# Constraints were looked for between the first 200 columns of the table alone.\n")) {
		t.Errorf("%v; the proposal does not say where it looked for constraints", err)
	}
}
