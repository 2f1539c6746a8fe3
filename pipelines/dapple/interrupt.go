package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/dapple-dp/dapple/internal/kit/background"
	"github.com/dapple-dp/dapple/internal/pipelines"
)

// workspaceVariable names the workspace in which the package for Python runs this program. It holds the program's standard
// input open, and nobody reads what the program says once that ends.
const workspaceVariable = "DAPPLE_WORKSPACE"

// owned returns a context that is done when standard input ends, as in a process whose owner is gone, however the owner
// ended. leave then removes the workspace. Without a workspace nothing is watched.
func owned(ctx context.Context, w pipelines.Workspace, in io.Reader) (watched context.Context, leave func()) {
	if !w.Is() {
		return ctx, func() {}
	}
	release, _ := w.Hold() // a file system may have no locks
	watched, end := context.WithCancel(ctx)
	gone := make(chan struct{})
	go func() {
		defer end()
		defer close(gone)
		_, _ = io.Copy(io.Discard, in) // whatever ends it
	}()
	return watched, func() {
		release()
		select {
		case <-gone:
			_ = w.Abandon(context.WithoutCancel(ctx)) // nobody is there to be told, and clean finds it
		default:
		}
	}
}

// grace is how long work that was interrupted may take to end by itself, and to say what it has done.
const grace = 500 * time.Millisecond

var errInterrupted = errors.New("interrupted before it was done; it has spent no privacy budget")

// interruptible does work that spends nothing and leaves nothing half written. If the work does not end soon after ctx is
// done, it is left to end with the process: some steps, such as the plan of a wide table, take seconds.
func interruptible(ctx context.Context, f func() error) (err error) {
	var work background.Work
	done := make(chan struct{})
	result := error(nil)
	work.Start(func() {
		defer close(done)
		result = f()
	})
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(grace):
			return errInterrupted
		}
	}
	work.Wait()
	if ctx.Err() != nil && errors.Is(result, context.Canceled) {
		return errInterrupted
	}
	return result
}
