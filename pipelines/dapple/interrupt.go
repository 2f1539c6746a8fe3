package main

import (
	"context"
	"errors"
	"time"

	"github.com/dapple-dp/dapple/internal/kit/beside"
)

// grace is how long work that was interrupted may take to end by itself, and to say what it has done.
const grace = 500 * time.Millisecond

var errInterrupted = errors.New("interrupted before it was done; it has spent no privacy budget")

// interruptible does work that spends nothing and leaves nothing half written. If the work does not end soon after ctx is
// done, it is left to end with the process: some steps, such as the plan of a wide table, take seconds.
func interruptible(ctx context.Context, f func() error) (err error) {
	var work beside.Work
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
