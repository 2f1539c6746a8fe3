package synth

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
)

// PrismBranches is how many branches prism runs side by side: each on one thread.
const PrismBranches = runner.PrismBranches

// runnerOf returns the runner that a pipeline is built for: the named one, else what Beam's flag --runner names, else prism.
func runnerOf(named string) runner.Runner {
	if f := flag.Lookup("runner"); named == "" && f != nil {
		named = f.Value.String()
	}
	return runner.Named(named)
}

// counts lets a table be one element only if all workers are one process, and kept records only without a store.
func (p Params) counts() counts.Params {
	if p.Store.Kind == "" {
		return counts.Params{Divide: runnerOf(p.Runner).Restarts()}
	}
	return counts.Params{MaxPart: runner.KeptPart, Divide: true}
}

// runnerFault is why a name names no runner; nil: it does, or nobody has named one.
func runnerFault(named string) error {
	if named == "" || slices.Contains(runner.Names, runner.Named(named).Name) {
		return nil
	}
	return fmt.Errorf("synth: runner %q: unknown; want %s", named, strings.Join(runner.Names, ", "))
}

// placeFault is why a store cannot work on a runner, as far as that shows before the run; nil: it can.
func placeFault(ref StoreRef, r runner.Runner) error {
	if ref.Spilled() {
		return nil
	}
	s, err := ref.Open()
	if err != nil {
		return err
	}
	if local, ok := s.(interface{ OnThisMachine() bool }); ok && local.OnThisMachine() && r.Dataflow {
		return fmt.Errorf("synth: Store %q is a directory, and each worker of Dataflow has a disk of its own: "+
			`a second attempt would find no release and draw again; name a bucket, such as tables.Store("gs://bucket/releases")`, ref.Config)
	}
	return nil
}

// storeFault is why a release needs a store, or does not go with the one that it has; nil: neither.
func storeFault(p SolveParams) error {
	if p.Store.Kind != "" && p.NoStore != "" {
		return errors.New("synth: Store and NoStore are both set; leave one of them out")
	}
	if r := runnerOf(p.Runner); p.Store.Kind == "" && p.NoStore == "" && r.Restarts() {
		return fmt.Errorf("synth: Store is required with runner %s, which can start a job again and would release twice: set one that all workers see, "+
			`such as tables.Store("gs://bucket/releases"), with a RunID; or say in NoStore why this job needs none`, r.Name)
	}
	return nil
}

// built has the ID of each pipeline that this process has built, and drew of each launch for which it has drawn noise
// without a store.
var built, drew sync.Map

// once refuses, before noise is drawn, a second draw without a store: by a worker of another process than the one that built
// the pipeline, since a runner that has such workers may start the job again, and by a second attempt at one launch. The first
// is allowed if Params.Runner names the runner, both if NoStore says why.
func (f *solveFn) once() error {
	p := f.Params
	if p.Store.Kind != "" || p.NoStore != "" {
		return nil
	}
	if _, here := built.Load(f.Launch.Pipeline); !here && p.Runner == "" && f.Launch.Pipeline != "" {
		return errors.New("synth: this worker is not of the process that built the pipeline, so that the runner may start the job again and release twice: " +
			`set Store, or Runner: "prism" if it is prism, or say in NoStore why the job needs no store`)
	}
	if f.Launch.ID == "" {
		return nil // the direct runner, which tries nothing again
	}
	if _, again := drew.LoadOrStore(f.Launch.ID+" "+p.RunID, true); again {
		return errors.New("synth: the runner tries the release again, and noise has been drawn for it: without a Store a second one would be drawn; set Store")
	}
	return nil
}
