//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
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

// everybodys returns a directory that every user can write to, with the command and a table.
func everybodys(t *testing.T) (dir, program string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "dapple-user-") // below t.TempDir others could not reach it
	must.Do(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program = filepath.Join(dir, "dapple")
	command, err := os.ReadFile(binary)
	if err == nil {
		err = os.WriteFile(program, command, 0o755)
	}
	must.Do(t, err)
	for name, text := range map[string]string{
		"people.csv":  "age,city\n31,Oslo\n42,Bergen\n",
		"people.yaml": "privacy_id: none\ncolumns:\n- {name: age, type: INT64, min: 0, max: 100, bins: 4, null: true}\n- {name: city, type: STRING, values: [Oslo, Bergen], null: true}\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	must.Do(t, os.Chmod(dir, 0o777))
	return dir, program
}

// Two users of a group keep one budget book, which one of them has made: runs of both are charged to it, and a third
// user reads nothing of it. No mode has to be changed: the book is as private as the umask says.
func TestUsersOfAGroupShareABook(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for programs of several users; make integration runs it")
	}
	id := unnamed(t)
	dir, program := everybodys(t)
	const group = 64321
	team := filepath.Join(dir, "team")
	must.Do(t, errors.Join(os.Mkdir(team, 0o700), os.Chown(team, int(id), group), os.Chmod(team, os.ModeSetgid|0o770)))
	run := func(user, main uint32, groups []uint32, args string) (int, string) {
		temp := filepath.Join(dir, "tmp"+strconv.Itoa(int(user)))
		must.Do(t, os.MkdirAll(temp, 0o777))
		must.Do(t, os.Chmod(temp, 0o777))
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "umask 007; exec "+program+" "+args)
		cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + temp, "PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: main, Groups: groups}}
		out, _ := cmd.CombinedOutput() // the status is compared
		return cmd.ProcessState.ExitCode(), string(out)
	}
	const synth = "synth --domain=people.yaml --input=people.csv --epsilon=0.2 --delta=1e-9 --ledger=team/book --quiet --output="
	first, second, stranger := id, id+1, id+2
	for _, row := range []struct {
		user   uint32
		args   string
		status int
		says   string
	}{
		{first, "ledger team/book --create=people --input=people.csv --epsilon=1 --delta=1e-6", 0, "by 0 runs"},
		{first, synth + "a", 0, "by 1 run"},
		{second, synth + "b", 0, "by 2 runs"},
		{first, synth + "c", 0, "by 3 runs"},
		{second, "ledger team/book", 0, "by 3 runs"},
		{stranger, "ledger team/book", 2, "permission denied"},
	} {
		groups := []uint32{group}
		if row.user == stranger {
			groups = nil
		}
		if status, out := run(row.user, row.user, groups, row.args); status != row.status || !strings.Contains(out, row.says) {
			t.Errorf("user %d, dapple %s: exit status %d, want %d, and %q in\n%.600s", row.user, row.args, status, row.status, row.says, out)
		}
	}
}

// The command, its workers and its expansion service start and work where the user ID has no name and the environment
// names neither user nor home, as in containers of clusters.
func TestAnyUserID(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for programs of several users; make integration runs it")
	}
	id := unnamed(t)
	dir, program := everybodys(t)
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
