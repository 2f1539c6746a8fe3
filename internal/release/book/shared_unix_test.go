//go:build unix

package book_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Two users of a group write to one book in turn: entries can be read by whoever can read the directory, and a book in a
// private directory is private. Run by root, the test is two users with IDs of their own.
func TestSharedBook(t *testing.T) {
	if dir := os.Getenv("DAPPLE_TEST_BOOK"); dir != "" {
		must.Do(t, open(t, dir).AddInput(t.Context(), "of "+strconv.Itoa(os.Getuid())+".csv"))
		return
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o700: 0o600, 0o770: 0o640} {
		dir, err := os.MkdirTemp("", "dapple-book-") // below t.TempDir others could not reach it
		must.Do(t, err)
		defer func() { _ = os.RemoveAll(dir) }()
		const group = 64321
		root := os.Getuid() == 0
		if root {
			must.Do(t, os.Chown(dir, 64001, group))
		}
		must.Do(t, os.Chmod(dir, mode|os.ModeSetgid))
		must.Value(book.Create(t.Context(), dir, terms))(t)
		if info, err := os.Stat(filepath.Join(dir, "entry-000000.json")); err != nil || info.Mode().Perm() != want {
			t.Errorf("in a directory of mode %o the entry has %v (error %v), want %o", mode, info, err, want)
		}
		if !root || mode == 0o700 {
			continue
		}
		program := copyOfTest(t)
		for range 2 {
			for _, user := range []uint32{64001, 64002} {
				cmd := exec.Command(program, "-test.run=^TestSharedBook$")
				cmd.Env, cmd.Dir = append(os.Environ(), "DAPPLE_TEST_BOOK="+dir, "TMPDIR=/tmp"), "/"
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: group}}
				out, err := cmd.CombinedOutput()
				must.Need(t, err == nil, "user %d: %v: %s", user, err, out)
			}
		}
		must.Equal(t, len(open(t, dir).Entries), 3, "entries")
	}
}

// A new book is as open as the umask of its maker says.
func TestNewBook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "book")
	before := syscall.Umask(0o007)
	_, err := book.Create(t.Context(), dir, terms)
	syscall.Umask(before)
	must.Do(t, err)
	for name, want := range map[string]os.FileMode{dir: 0o770, filepath.Join(dir, "entry-000000.json"): 0o640} {
		info, err := os.Stat(name)
		must.Hold(t, err == nil && info.Mode().Perm() == want, "%s has %v (error %v), want %o", name, info, err, want)
	}
}

// copyOfTest returns this program where every user can start it.
func copyOfTest(t *testing.T) string {
	t.Helper()
	dir := must.Value(os.MkdirTemp("", "dapple-test-"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self := must.Value(os.Executable())(t)
	data := must.Value(os.ReadFile(self))(t)
	program := filepath.Join(dir, "book.test")
	must.Do(t, os.WriteFile(program, data, 0o755))
	must.Do(t, os.Chmod(dir, 0o755))
	return program
}
