package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

var stopText = []byte("the run was stopped before this step\n")

// publishSuffix is of the object, behind the ID of a run, that is there once its publication has begun.
const publishSuffix = ".publishing"

// ErrStopped is the error of a step that was stopped before it began.
var ErrStopped = errors.New("pipelines: the run was stopped")

var errGone = errors.New("pipelines: the staging of the run is not there: the run has ended, or this worker does not see the launcher's directories; it draws nothing")

// Stop keeps a run from all steps that it has not begun. The run that publishes can be another one than that
// whose release it is.
func (s Staging) Stop(ctx context.Context, runID, publisher string) error {
	ctx, cancel := Afterwards(ctx)
	defer cancel()
	var errs []error
	for _, name := range []string{runID + synth.DrawnSuffix, runID + synth.ReleaseSuffix, publisher + publishSuffix} {
		errs = append(errs, s.StopStep(ctx, name))
	}
	return errors.Join(errs...)
}

// StopStep keeps a run from the step of a name, unless it has begun.
func (s Staging) StopStep(ctx context.Context, name string) error {
	_, _, err := archive.Open(s.Dir).CreateIfAbsent(ctx, name, stopText)
	return err
}

// Stopped reports whether the object of a step says that the step was stopped.
func Stopped(mark []byte) bool { return bytes.Equal(mark, stopText) }

// Has reports whether the step of a name was done.
func (s Staging) Has(ctx context.Context, name string) (data []byte, done bool, err error) {
	data, found, err := archive.Open(s.Dir).Get(ctx, name)
	return data, found && !Stopped(data), err
}

// never keeps a run from ever drawing noise, and reports whether it had drawn none.
func (s Staging) never(ctx context.Context, runID string) (bool, error) {
	name := runID + synth.DrawnSuffix
	if err := s.StopStep(ctx, name); err != nil {
		return false, err
	}
	_, drawn, err := s.Has(ctx, name)
	return !drawn && err == nil, err
}

// releaseStore keeps the release of a run. A stopped run releases no more, and neither does one whose staging is
// gone: in an empty store it would draw its noise anew.
type releaseStore struct {
	synth.Store
	here bool // on this machine
}

// Open returns the store in the staging of a run, as the functions of the run see it.
func Open(dir string) synth.Store { return releaseStore{archive.Open(dir), !files.Remote(dir)} }

func (s releaseStore) Get(ctx context.Context, name string) ([]byte, bool, error) {
	data, found, err := s.Store.Get(ctx, name)
	if Stopped(data) {
		return nil, false, ErrStopped
	}
	return data, found, err
}

func (s releaseStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	runID, _, _ := strings.Cut(name, ".") // a run has one name and several objects
	done, err := enter(runID)
	if err != nil {
		return nil, false, err
	}
	defer done()
	if _, found, err := s.Store.Get(ctx, noteName); err != nil {
		return nil, false, err
	} else if !found {
		return nil, false, errGone
	}
	current, created, err := s.Store.CreateIfAbsent(ctx, name, data)
	switch {
	case err != nil && s.here && gateOf(runID) != nil:
		return nil, false, fmt.Errorf("%w; TMPDIR names another place", err)
	case err != nil:
		return nil, false, fmt.Errorf("%w; every worker has to write there, and --store names another place", err)
	case bytes.Equal(current, stopText):
		return nil, false, ErrStopped
	}
	return current, created, nil
}

// MayPublish asks whether a run may make a part of its output. It takes the gate of the run, if it is one of this process,
// and looks into the staging in stopDir for a stop, if there is one. The caller calls done when it has made the part. It
// returns ErrStopped if the run was stopped.
func MayPublish(ctx context.Context, runID, stopDir string) (done func(), err error) {
	if stopDir != "" {
		data, _, err := archive.Open(stopDir).Get(ctx, runID+publishSuffix)
		switch {
		case err != nil:
			return nil, fmt.Errorf("pipelines: looking whether the run was stopped: %w", err)
		case Stopped(data):
			return nil, ErrStopped
		}
	}
	return enter(runID)
}

// BeginPublication is MayPublish for the last step: no stop comes after it.
func BeginPublication(ctx context.Context, runID, stopDir string) (done func(), err error) {
	if stopDir != "" {
		_, _, err := Open(stopDir).CreateIfAbsent(ctx, runID+publishSuffix, []byte("the publication has begun\n"))
		if err != nil {
			return nil, err
		}
	}
	return MayPublish(ctx, runID, stopDir)
}

// Gate is what the functions of a run in this process are behind while they release or publish. A runner that is told to
// stop returns while they still work: once the gate is shut they can only compute, so that what a stopped run reports
// stays true.
type Gate struct {
	runID   string
	mu      sync.RWMutex // held for reading by those behind the gate
	shut    bool
	outcome atomic.Pointer[Outcome] // nil: nothing yet
}

// Outcome is what a run of this process has published in directories, as it knows itself: another run may have replaced it
// since.
type Outcome struct {
	Written   table.Written
	Statement []byte
}

// gates holds the gates of this process's runs by run ID. A worker in another process finds none, and is stopped through
// the staging of its run.
var gates sync.Map

// NewGate makes the gate of a run of this process, open.
func NewGate(runID string) *Gate {
	g := &Gate{runID: runID}
	gates.Store(runID, g)
	return g
}

func gateOf(runID string) *Gate {
	if v, ok := gates.Load(runID); ok {
		return v.(*Gate)
	}
	return nil
}

// enter takes the gate of a run of this process. It returns ErrStopped if the gate is shut.
func enter(runID string) (done func(), err error) {
	g := gateOf(runID)
	if g == nil {
		return func() {}, nil
	}
	g.mu.RLock()
	if g.shut {
		g.mu.RUnlock()
		return nil, ErrStopped
	}
	return g.mu.RUnlock, nil
}

// Shut shuts the gate; it returns false if something is still being published after some time.
func (g *Gate) Shut(patience time.Duration) bool {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
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

// Forget forgets the gate of a run that has finished. The gate of a stopped run stays shut: a shard that waited for its
// turn may still ask for it.
func (g *Gate) Forget() {
	if g.mu.TryLock() {
		defer g.mu.Unlock()
		if !g.shut {
			gates.Delete(g.runID)
		}
	}
}

// Published notes what a run of this process has published, the first time.
func Published(runID string, o Outcome) {
	if g := gateOf(runID); g != nil {
		g.outcome.CompareAndSwap(nil, &o)
	}
}

// OutcomeOf returns what a run of this process has published; nil if nothing is known.
func OutcomeOf(runID string) *Outcome {
	if g := gateOf(runID); g != nil {
		return g.outcome.Load()
	}
	return nil
}
