package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
)

// Workspace is a directory of the package for Python, which runs this program in it and for which nothing else is kept. The
// zero Workspace is none.
type Workspace string

// workspacePrefix begins the names of workspaces.
const workspacePrefix = "dapple-python-"

// inUse is the directory that the users of a workspace hold. They do not hold the workspace: publishing in it locks that.
const inUse = "in-use"

// Is reports whether w is named as a workspace, so that it may be removed.
func (w Workspace) Is() bool { return strings.HasPrefix(filepath.Base(string(w)), workspacePrefix) }

// Hold keeps clean from a workspace until release is called.
func (w Workspace) Hold() (release func(), err error) {
	return files.Hold(filepath.Join(string(w), inUse))
}

// Abandon removes the workspace of a process that is gone, unless a run in it has left something that was paid for: clean
// says that, since nobody else can be told.
func (w Workspace) Abandon(ctx context.Context) error {
	if names, err := files.Names(ctx, string(w)); err != nil || paidFor(names) != "" {
		return err
	}
	return files.RemoveAll(ctx, string(w))
}

// paidFor returns the first name in a workspace that a run leaves after it has drawn noise.
func paidFor(names []string) string {
	for _, name := range names {
		if strings.HasPrefix(name, run.Prefix) || strings.HasSuffix(name, foundDir("")) || strings.HasSuffix(name, ".release") {
			return name
		}
	}
	return ""
}

// clean removes a workspace that nobody uses, and says what it was; remove is for what runs have left in it. What is paid for in it
// stays unless releases are to go.
func (w Workspace) clean(ctx context.Context, releases bool, remove func(run.Leftover)) (text string, err error) {
	lock := filepath.Join(string(w), inUse)
	if _, err := os.Stat(lock); err != nil {
		lock = string(w) // its maker was killed at once
	}
	unlock, free := files.Take(lock)
	if !free {
		return fmt.Sprintf("left as it is: %s: a Python program uses it, or it is another user's", w), nil
	}
	defer unlock()
	left := (run.Area{Dir: string(w), Prefix: run.Prefix}).Left(ctx)
	for _, f := range left {
		remove(f)
	}
	names, err := files.Names(ctx, string(w))
	text = fmt.Sprintf("removed %s: left by a Python program that was killed", w)
	switch name := paidFor(names); {
	case err != nil:
		return "", err
	case name != "" && !releases:
		return fmt.Sprintf("left as it is: %s: a Python program that was killed left there what a run may have paid for; `dapple clean --releases` removes it", w), nil
	case strings.HasPrefix(name, run.Prefix):
		return fmt.Sprintf("left as it is: %s: a run is at work in it", w), nil
	case strings.HasSuffix(name, foundDir("")):
		found, err := cleanFound(ctx, files.Join(string(w), name))
		return fmt.Sprintf("%s\n%s", found, text), errors.Join(err, files.RemoveAll(ctx, string(w)))
	case name != "":
		text += "; a release in it was never fetched: its budget counts as spent"
	case len(left) == 0: // else what was removed says it
		text += "; nothing was spent"
	}
	return text, files.RemoveAll(ctx, string(w))
}
