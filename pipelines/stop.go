package pipelines

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dapple-dp/dapple/io/table"
)

// publishLock is held for reading by a run's functions in this process while they release or publish. A runner that
// is told to stop returns while they still work: once the lock is shut they can only compute, so that what a stopped
// run reports stays true.
type publishLock struct {
	mu   sync.RWMutex
	shut bool
	done atomic.Pointer[outcome] // what a run of this process has published in directories; nil: nothing yet
}

// outcome is what a run has published, as it knows itself: another run may have replaced it since.
type outcome struct {
	written   table.Written
	statement []byte
}

// outcomeOf returns what a run of this process has published; nil if nothing is known.
func outcomeOf(runID string) *outcome {
	if v, ok := publishLocks.Load(runID); ok {
		return v.(*publishLock).done.Load()
	}
	return nil
}

// publishLocks holds the locks of this process's runs by run ID. A worker in another process finds none, and is
// stopped through the store of its run.
var publishLocks sync.Map

var errStopped = errors.New("pipelines: the run was stopped")

// lockedIn takes the publish lock of a run of this process for reading. It returns errStopped if the lock is shut.
func lockedIn(runID string) (done func(), err error) {
	v, ok := publishLocks.Load(runID)
	if !ok {
		return func() {}, nil
	}
	l := v.(*publishLock)
	l.mu.RLock()
	if l.shut {
		l.mu.RUnlock()
		return nil, errStopped
	}
	return l.mu.RUnlock, nil
}

// waitForPublication is how long a stopped run waits for a publication that has begun. That of directories ends with all
// files or with none, and soon unless the disk does not answer; a load of a table ends with all rows or with none.
const waitForPublication = time.Minute

// close shuts the lock; it returns false if something is still being published after some time.
func (l *publishLock) close(patience time.Duration) bool {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if l.mu.TryLock() {
			l.shut = true
			l.mu.Unlock()
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// execution is one run of a graph in this process, from the preparation of its output to its publication.
type execution struct {
	out    *output
	lock   *publishLock
	unhold func() // ends the mark that the run is at work
}

// startExecution prepares the output, so that a run whose output cannot be written fails before any budget is
// spent.
func startExecution(ctx context.Context, out *output) (*execution, error) {
	e := &execution{out: out, lock: &publishLock{}, unhold: func() {}}
	publishLocks.Store(out.run(), e.lock)
	if err := out.prepare(ctx); err != nil {
		defer e.finish()
		_, _, abandonErr := e.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	release, err := out.Sink.Hold()
	if err != nil {
		defer e.finish()
		_, _, abandonErr := e.abandon(ctx)
		return nil, errors.Join(fmt.Errorf("pipelines: %w", err), abandonErr)
	}
	e.unhold = release
	return e, nil
}

// published reports whether the rows are there to be read.
func (e *execution) published(ctx context.Context) bool {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	return e.out.published(ctx)
}

// abandon ends an execution that has failed: nothing is published any more, and nothing that a reader
// could take for output stays behind. It says what is kept on purpose. A publication that has begun is waited for:
// published reports that it has ended well.
func (e *execution) abandon(ctx context.Context) (kept string, published bool, err error) {
	if !e.lock.close(waitForPublication) {
		return e.out.Sink.Unfinished(), false, nil
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	if e.out.published(ctx) {
		return "", true, nil
	}
	kept, err = e.out.abandon(ctx)
	return kept, false, err
}

// finish forgets the lock of a run that has finished. The lock of a stopped run stays shut: a shard that waited
// for its turn may still ask for it.
func (e *execution) finish() {
	e.unhold()
	if e.lock.mu.TryLock() {
		defer e.lock.mu.Unlock()
		if !e.lock.shut {
			publishLocks.Delete(e.out.run())
		}
	}
}
