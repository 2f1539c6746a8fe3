package synth

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
)

// runnerName returns the runner that a pipeline is built for, as Beam registers it: the named one, else that of Beam's flag
// --runner, else prism.
func runnerName(named string) string {
	if f := flag.Lookup("runner"); named == "" && f != nil {
		named = f.Value.String()
	}
	name := strings.TrimSuffix(strings.ToLower(named), "runner")
	if name == "" {
		return "prism"
	}
	return name
}

// restarts reports whether a runner can start a job again. Prism and the direct runner never do, and all of their workers in
// Go are one process, so that an element may have 2 GiB.
func restarts(runner string) bool { return !slices.Contains([]string{"prism", "direct"}, runner) }

// javaBundle is how many bytes of people a bundle may send to Beam's runners in Java: they hold a hundred messages of a
// bundle until it ends, and let a worker wait for ever that sends more. Beam Go fills half of 4 MB at least.
const javaBundle = 190 << 20

// boundFor returns the parameters of Bound for a runner.
func boundFor(runner string) private.BoundParams {
	switch {
	case runner == "dataflow":
		return private.BoundParams{MaxBundle: -1}
	case restarts(runner):
		return private.BoundParams{MaxBundle: javaBundle}
	}
	return private.BoundParams{}
}

// keptPart is how many bytes of kept records are one object in the store.
const keptPart = 4 << 20

// countsFor lets a table be one element only if all workers are one process, and kept records only without a store.
func countsFor(runner string, store StoreRef) counts.Params {
	if store.Kind == "" {
		return counts.Params{Divide: restarts(runner)}
	}
	return counts.Params{MaxPart: keptPart, Divide: true}
}

// branchesFor returns how many branches a graph has: prism runs one step as one bundle, and engines need a network buffer for
// each pair of branches.
func branchesFor(runner string) int {
	if runner == "prism" {
		return PrismBranches
	}
	return 1
}

// storeFault is why a release needs a store, or does not go with the one that it has; nil: neither.
func storeFault(p SolveParams) error {
	if p.Store.Kind != "" && p.NoStore != "" {
		return errors.New("synth: Store and NoStore are both set; leave one of them out")
	}
	if name := runnerName(p.Runner); p.Store.Kind == "" && p.NoStore == "" && restarts(name) {
		return fmt.Errorf("synth: Store is required with runner %s, which can start a job again and would release twice: set one that all workers see, "+
			`such as tables.Store("gs://bucket/releases"), with a RunID; or say in NoStore why this job needs none`, name)
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
