package pipelines

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/store"
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

// releaseStore keeps the release of a run. A stopped run releases no more.
type releaseStore struct{ synth.Store }

func (s releaseStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	runID, _, _ := strings.Cut(name, ".") // a run has one name and several objects
	leave, err := enter(runID)
	if err != nil {
		return nil, false, err
	}
	defer leave()
	return s.Store.CreateIfAbsent(ctx, name, data)
}

// staging is where a run keeps its release until it is published. What it holds is private till then.
type staging struct{ dir string }

// stage returns the staging of a run: in the directory for temporary files where that is one of all
// workers, beside a remote output otherwise, and else on this machine.
func stage(ctx context.Context, temp, out, runID string) (staging, error) {
	switch {
	case files.Remote(temp):
		dir := files.Join(temp, "dapple-"+runID)
		if err := (dirsink.Dir{Path: dir, RunID: runID}).Prepare(ctx); err != nil {
			return staging{}, Faults{{Where: "--temp_location", What: plainError(err)}}
		}
		return staging{dir}, nil
	case files.Remote(out):
		return staging{files.Join(out, "_tmp", runID+"-release")}, nil
	}
	dir, err := os.MkdirTemp("", "dapple-")
	if err != nil {
		return staging{}, fmt.Errorf("pipelines: staging directory: %w", err)
	}
	return staging{dir}, nil
}

// rows returns a directory for rows that are not loaded yet.
func (s staging) rows(runID string, shards int) dirsink.Dir {
	return dirsink.Dir{Path: files.Join(s.dir, "rows"), RunID: runID, Shards: shards, Extension: "parquet"}
}

func (s staging) ref() synth.StoreRef { return synth.StoreRef{Kind: storeKind, Config: s.dir} }

// remove removes the staging. What cannot be removed harms nobody but takes its space.
func (s staging) remove(ctx context.Context) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	_ = files.RemoveAll(ctx, s.dir)
}

// spent adds to the error of a run whether its privacy budget is gone: it is once a release exists,
// even if nobody has seen it. Call it when no function of the run can release any more.
func (s staging) spent(ctx context.Context, err error) error {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	names, listErr := files.Names(ctx, s.dir)
	if listErr == nil && !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".release") }) {
		return fmt.Errorf("%w\nnothing was written and no privacy budget was spent", err)
	}
	return fmt.Errorf("%w\na model had been released and is discarded: count the privacy budget of this run as spent", err)
}

// afterwards returns a context for what is to be done although a run has ended, or been stopped.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
}
