//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// unnamed returns a user ID that has no name here.
func unnamed(t *testing.T) uint32 {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("missing: root, who alone can start a program under another user ID")
	}
	for id := uint32(2001); id < 3001; id++ {
		if _, err := user.LookupId(strconv.Itoa(int(id))); err != nil {
			return id
		}
	}
	t.Skip("missing: a user ID from 2001 to 3000 without a name")
	return 0
}

// The command, its workers and its expansion service start and work where the user ID has no name and the environment
// names neither user nor home, as in containers of clusters.
func TestAnyUserID(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build the command; make integration does")
	}
	id := unnamed(t)
	dir, err := os.MkdirTemp("", "dapple-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "dapple")
	if out, err := exec.Command("go", "build", "-tags=osusergo", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, text := range map[string]string{
		"people.csv":  "age,city\n31,Oslo\n42,Bergen\n",
		"people.yaml": "columns:\n- {name: age, type: INT64, min: 0, max: 100, bins: 4, null: true}\n- {name: city, type: STRING, values: [Oslo, Bergen], null: true}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	under := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
		return cmd
	}
	for _, row := range []struct {
		args   string
		status int
		says   string
	}{
		{"version", 0, "dapple "},
		{"synth --domain=people.yaml --input=people.csv --output=out --epsilon=1 --delta=1e-9", 0, "ε"},
		{"--worker=true --id=1", 1, "failed to connect"},
		{"expand --port=0 --until_eof", 0, "listening on "},
	} {
		cmd := under(strings.Fields(row.args)...)
		out, _ := cmd.CombinedOutput() // the status is compared
		if status := cmd.ProcessState.ExitCode(); status != row.status || !strings.Contains(string(out), row.says) {
			t.Errorf("dapple %s: exit status %d, want %d, and %q in\n%.600s", row.args, status, row.status, row.says, out)
		}
	}
}
