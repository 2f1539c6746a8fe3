package pipelines

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
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

// close shuts the gate; false if something is still on its way through it.
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
	out    output
	gate   *gate
	unhold func() // ends the mark that the run is at work
}

// begin prepares the output, so that one that cannot be written to is found out before any budget is
// spent.
func begin(ctx context.Context, out output) (*attempt, error) {
	a := &attempt{out: out, gate: &gate{}, unhold: func() {}}
	gates.Store(out.run(), a.gate)
	if err := out.prepare(ctx); err != nil {
		defer a.end()
		_, abandonErr := a.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	release, err := out.hold()
	if err != nil {
		defer a.end()
		_, abandonErr := a.abandon(ctx)
		return nil, errors.Join(fmt.Errorf("pipelines: %w", err), abandonErr)
	}
	a.unhold = release
	return a, nil
}

// published reports whether the rows are there to be read.
func (a *attempt) published(ctx context.Context) bool {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	return a.out.published(ctx)
}

// abandon ends an attempt that has failed: nothing is published any more, and nothing that a reader
// could take for output stays behind. It says what is kept on purpose.
func (a *attempt) abandon(ctx context.Context) (kept string, err error) {
	if !a.gate.close() {
		return a.out.unfinished(), nil
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	return a.out.abandon(ctx)
}

// end forgets the gate of a run that has finished. That of a stopped one stays shut: a shard that waited
// for its turn may still come to it.
func (a *attempt) end() {
	a.unhold()
	if a.gate.mu.TryLock() {
		defer a.gate.mu.Unlock()
		if !a.gate.shut {
			gates.Delete(a.out.run())
		}
	}
}
