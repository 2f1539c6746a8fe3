package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/internal/release/store"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// storeKind is the name under which workers find the store of a run's release.
const storeKind = "release"

func init() {
	synth.RegisterStore(storeKind, func(config string) (synth.Store, error) { return releaseStore{keep.Open(config)}, nil })
}

// staging is a directory in which a run keeps its release until it is published. Its content is private until then.
type staging struct {
	dir    string
	unlock func() // ends the mark that its run is at work
}

// stagingArea is the directory in which stagings are made, and the prefix and suffix of their names.
type stagingArea struct{ dir, prefix, suffix string }

// stagingAreaOf returns the area for a run's staging: the directory for temporary files if all workers share it,
// else that of the released files if it is remote, else scratch, on this machine.
func stagingAreaOf(temp, out, scratch string) stagingArea {
	switch {
	case files.Remote(temp):
		return stagingArea{temp, "dapple-", ""}
	case files.Remote(out):
		return stagingArea{files.Join(out, "_tmp"), "", "-release"}
	}
	return stagingArea{scratch, runPrefix, ""}
}

// Beginnings of the names of directories for temporary files of this machine.
const (
	runPrefix  = "dapple-run-"
	BeamPrefix = "dapple-beam-" // for what Beam itself leaves
)

// name is that of the staging of a run, if the area is remote.
func (a stagingArea) name(runID string) string { return files.Join(a.dir, a.prefix+runID+a.suffix) }

// stage makes the staging of a run.
func (a stagingArea) stage(ctx context.Context, runID string) (staging, error) {
	if files.Remote(a.dir) {
		dir := a.name(runID)
		if a.suffix == "" {
			if err := (dirsink.Dir{Release: dir, RunID: runID}).Prepare(ctx); err != nil {
				return staging{}, Faults{{Where: "--temp_location", What: plainError(err)}}
			}
		}
		if err := (store.Objects{Dir: dir}).CheckConditions(ctx); err != nil {
			return staging{}, Faults{{Where: dir, What: plainError(err)}}
		}
		return staging{dir, func() {}}, nil
	}
	if err := os.MkdirAll(a.dir, 0o777); err != nil { // next to an output that is to be made
		return staging{}, Faults{{Where: "--output", What: plainPathError(err)}}
	}
	dir, err := os.MkdirTemp(a.dir, a.prefix)
	if err != nil {
		return staging{}, Faults{{Where: "TMPDIR", What: fmt.Sprintf("%s cannot be written to: %v", a.dir, errors.Unwrap(err)), Fix: "set TMPDIR to a directory of this machine that can be"}}
	}
	unlock, err := files.Hold(dir)
	if err == nil {
		err = syncNames(a.dir)
	}
	if err != nil {
		return staging{}, fmt.Errorf("pipelines: staging directory: %w", errors.Join(err, os.Remove(dir)))
	}
	return staging{dir, unlock}, nil
}

// syncNames makes the names in a directory durable.
func syncNames(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sign writes a note to a staging that identifies its run.
func (s staging) sign(ctx context.Context, n note) error {
	b, err := json.Marshal(n)
	if err != nil {
		panic("pipelines: a note is plain data and always marshals")
	}
	_, _, err = keep.Open(s.dir).CreateIfAbsent(ctx, noteName, b)
	return err
}

func (s staging) ref() synth.StoreRef { return synth.StoreRef{Kind: storeKind, Config: s.dir} }

// remove removes the staging. A failure is harmless: it leaves files that take up space.
func (s staging) remove(ctx context.Context) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	if !files.Remote(s.dir) { // first: without the mark that noise was drawn, the note would say that nothing is spent
		_ = os.Remove(filepath.Join(s.dir, noteName))
	}
	_ = files.RemoveAll(ctx, s.dir)
	s.unlock()
}

// afterwards returns a context for work that has to be done after a run has ended or been stopped.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
}
