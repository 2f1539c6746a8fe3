package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// storeKind is the name under which workers find the store of a run's release.
const storeKind = "release"

func init() {
	synth.RegisterStore(storeKind, func(config string) (synth.Store, error) { return Open(config), nil })
}

// Staging is a directory in which a run keeps its release until it is published. Its content is private until then.
type Staging struct {
	Dir    string
	unlock func() // ends the mark that its run is at work; nil: no mark
}

// Area is the directory in which stagings are made, and the prefix and suffix of their names.
type Area struct{ Dir, Prefix, Suffix string }

// AreaOf returns the area for a run's staging: the store, if one is named,
// else the area of the released files if it is remote, else scratch, on this machine.
func AreaOf(store, out, scratch string) Area {
	switch {
	case files.Remote(store):
		return Area{store, "dapple-", ""}
	case store != "":
		return Area{store, Prefix, ""}
	case files.Remote(out):
		return Area{files.Join(out, "_tmp"), "", "-release"}
	}
	return Area{scratch, Prefix, ""}
}

// Prefix begins the names of stagings on this machine.
const Prefix = "dapple-run-"

// Refusal says why a run cannot begin as it was asked for.
type Refusal struct {
	Where string // the flag, variable or directory
	Err   error
	Fix   string // may be empty
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %v", r.Where, r.Err) }

func (r *Refusal) Unwrap() error { return r.Err }

// Name is the name of the staging of a run, if the area is remote.
func (a Area) Name(runID string) string { return files.Join(a.Dir, a.Prefix+runID+a.Suffix) }

// Stage makes the staging of a run.
func (a Area) Stage(ctx context.Context, runID string) (Staging, error) {
	if files.Remote(a.Dir) {
		dir := a.Name(runID)
		if a.Suffix == "" {
			if err := (dirsink.Dir{Release: dir, RunID: runID}).Prepare(ctx); err != nil {
				return Staging{}, &Refusal{Where: "--store", Err: err}
			}
		}
		if err := (store.Objects{Dir: dir}).CheckConditions(ctx); err != nil {
			return Staging{}, &Refusal{Where: dir, Err: err}
		}
		return Staging{Dir: dir}, nil
	}
	if err := os.MkdirAll(a.Dir, 0o777); err != nil && a.Dir != os.TempDir() { // next to an output that is to be made
		return Staging{}, &Refusal{Where: "--output", Err: err}
	}
	dir, err := os.MkdirTemp(a.Dir, a.Prefix)
	if err != nil {
		return Staging{}, &Refusal{"TMPDIR", fmt.Errorf("%s cannot be written to: %w", a.Dir, errors.Unwrap(err)), "set TMPDIR to a directory of this machine that can be"}
	}
	unlock, err := files.Hold(dir)
	if err == nil {
		err = files.SyncNames(a.Dir)
	}
	if err != nil {
		return Staging{}, fmt.Errorf("pipelines: staging directory: %w", errors.Join(err, os.Remove(dir)))
	}
	return Staging{dir, unlock}, nil
}

// Sign writes a note to a staging that identifies its run.
func (s Staging) Sign(ctx context.Context, n Note) error {
	_, _, err := archive.Open(s.Dir).CreateIfAbsent(ctx, noteName, wire.JSON(n))
	return err
}

// Note returns the note of a staging, by the launch that signed it first.
func (s Staging) Note(ctx context.Context) (n Note, err error) {
	data, found, err := archive.Open(s.Dir).Get(ctx, noteName)
	switch {
	case err != nil:
		return n, err
	case !found:
		return n, errGone
	}
	return n, json.Unmarshal(data, &n)
}

// Ref returns the form in which a DoFn carries the store in the staging.
func (s Staging) Ref() synth.StoreRef { return synth.StoreRef{Kind: storeKind, Config: s.Dir} }

// Unlock ends the mark that the run of the staging is at work.
func (s Staging) Unlock() {
	if s.unlock != nil {
		s.unlock()
	}
}

// Remove removes the staging. A failure is harmless: it leaves files that take up space.
func (s Staging) Remove(ctx context.Context) {
	ctx, cancel := Afterwards(ctx)
	defer cancel()
	if !files.Remote(s.Dir) { // first: without the mark that noise was drawn, the note would say that nothing is spent
		_ = os.Remove(filepath.Join(s.Dir, noteName))
	}
	_ = files.RemoveAll(ctx, s.Dir)
	s.Unlock()
}

// Afterwards returns a context for work that has to be done after a run has ended or been stopped.
func Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
}
