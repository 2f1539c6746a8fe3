package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/internal/store"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// storeKind is the name under which workers find the store of a run's release.
const storeKind = "release"

func init() {
	synth.RegisterStore(storeKind, func(config string) (synth.Store, error) { return releaseStore{openStore(config)}, nil })
}

// openStore returns the store of values in a directory.
func openStore(dir string) synth.Store {
	if files.Remote(dir) {
		return store.Objects{Dir: dir}
	}
	return store.Local{Dir: dir}
}

// staging is where a run keeps its release until it is published. What it holds is private till then.
type staging struct {
	dir    string
	unlock func() // ends the mark that its run is at work
}

// place is where stagings are made, and how their names begin and end.
type place struct{ dir, prefix, suffix string }

// stagingPlace returns the place of a run's staging: the directory for temporary files if that is one of all
// workers, that of the released files if that is remote, and else scratch, on this machine.
func stagingPlace(temp, out, scratch string) place {
	switch {
	case files.Remote(temp):
		return place{temp, "dapple-", ""}
	case files.Remote(out):
		return place{files.Join(out, "_tmp"), "", "-release"}
	}
	return place{scratch, runPrefix, ""}
}

// Beginnings of the names of directories for temporary files of this machine.
const (
	runPrefix  = "dapple-run-"
	BeamPrefix = "dapple-beam-" // for what Beam itself leaves
)

// stage makes the staging of a run.
func (p place) stage(ctx context.Context, runID string) (staging, error) {
	if files.Remote(p.dir) {
		dir := files.Join(p.dir, p.prefix+runID+p.suffix)
		if p.suffix == "" {
			if err := (dirsink.Dir{Release: dir, RunID: runID}).Prepare(ctx); err != nil {
				return staging{}, Faults{{Where: "--temp_location", What: plainError(err)}}
			}
		}
		return staging{dir, func() {}}, nil
	}
	dir, err := os.MkdirTemp(p.dir, p.prefix)
	if err != nil {
		return staging{}, Faults{{Where: "TMPDIR", What: fmt.Sprintf("%s cannot be written to: %v", p.dir, errors.Unwrap(err)), Fix: "set TMPDIR to a directory of this machine that can be"}}
	}
	unlock, err := files.Hold(dir)
	if err != nil {
		return staging{}, fmt.Errorf("pipelines: staging directory: %w", errors.Join(err, os.Remove(dir)))
	}
	return staging{dir, unlock}, nil
}

// sign says in a staging whose it is.
func (s staging) sign(ctx context.Context, n note) error {
	b, err := json.Marshal(n)
	if err != nil {
		panic("pipelines: a note is plain data and always marshals")
	}
	_, _, err = openStore(s.dir).CreateIfAbsent(ctx, noteName, b)
	return err
}

func (s staging) ref() synth.StoreRef { return synth.StoreRef{Kind: storeKind, Config: s.dir} }

// remove removes the staging. What cannot be removed harms nobody but takes its space.
func (s staging) remove(ctx context.Context) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	_ = files.RemoveAll(ctx, s.dir)
	s.unlock()
}

// afterwards returns a context for what is to be done although a run has ended, or been stopped.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
}
