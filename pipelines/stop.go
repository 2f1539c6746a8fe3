package pipelines

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dapple-dp/dapple/io/dirsink"
)

// gate is what a run's functions in this process pass before they release or publish. A runner that is
// told to stop returns while they still work: behind a shut gate they can do no more than compute, so
// that what a stopped run says of itself stays true.
type gate struct {
	mu   sync.RWMutex
	shut bool
}

// gates holds those of this process's runs by run ID. A worker in another process finds none, and is
// stopped by its runner.
var gates sync.Map

var errStopped = errors.New("pipelines: the run was stopped")

// enter waits for the gate of a run and returns how to leave, or the error that it is shut.
func enter(runID string) (leave func(), err error) {
	v, ok := gates.Load(runID)
	if !ok {
		return func() {}, nil
	}
	g := v.(*gate)
	g.mu.RLock()
	if g.shut {
		g.mu.RUnlock()
		return nil, errStopped
	}
	return g.mu.RUnlock, nil
}

// closing is how long a stopped run waits for a publication that has begun: it ends either with all
// files or with none, in far less time than this.
const closing = 1500 * time.Millisecond

// close shuts the gate; false where something is still on its way through it.
func (g *gate) close() bool {
	for end := time.Now().Add(closing); ; time.Sleep(time.Millisecond) {
		if g.mu.TryLock() {
			g.shut = true
			g.mu.Unlock()
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// attempt is one run of a graph in this process, between empty directories and published ones.
type attempt struct {
	sink *directory
	gate *gate
	made []string // directories that were not there before
}

// begin makes the output directories, so that one that cannot be written to is found out before any
// budget is spent.
func begin(sink *directory) (*attempt, error) {
	a := &attempt{sink: sink, gate: &gate{}}
	gates.Store(sink.Rows.RunID, a.gate)
	for _, d := range a.dirs() {
		if _, err := os.Stat(d.Path); errors.Is(err, os.ErrNotExist) {
			a.made = append(a.made, d.Path)
		}
		if err := d.Prepare(); err != nil {
			return nil, errors.Join(err, a.abandon())
		}
	}
	return a, nil
}

func (a *attempt) dirs() []dirsink.Dir {
	if a.sink.Release.Path != "" {
		return []dirsink.Dir{a.sink.Release, a.sink.Rows}
	}
	return []dirsink.Dir{a.sink.Rows}
}

// published reports whether the rows, which come last, are there to be read.
func (a *attempt) published() bool {
	m, err := dirsink.ReadManifest(a.sink.Rows.Path)
	return err == nil && m.RunID == a.sink.Rows.RunID
}

// abandon ends an attempt that has failed: nothing is published any more, and nothing that a reader
// could take for output stays behind.
func (a *attempt) abandon() error {
	if !a.gate.close() {
		return errors.New("the output was being published: " + filepath.Join(a.sink.Rows.Path, "_manifest.json") + " is there if it is complete")
	}
	var errs []error
	for _, d := range a.dirs() {
		errs = append(errs, d.Abandon(privacyFile, modelFile))
	}
	for _, dir := range a.made {
		_ = os.Remove(dir) // it is not empty where somebody else has put something there
	}
	return errors.Join(errs...)
}

// end forgets the gate.
func (a *attempt) end() { gates.Delete(a.sink.Rows.RunID) }
