package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Work that does not look at its context is left soon after that is done; of work that ends, the result counts.
func TestInterruptedWorkIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := interruptible(ctx, func() error { return errors.ErrUnsupported }); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want the error of the work", err)
	}
	cancel()
	if err := interruptible(ctx, func() error { return nil }); err != nil {
		t.Errorf("got %v of work that ended well", err)
	}
	if err := interruptible(ctx, ctx.Err); !errors.Is(err, errInterrupted) {
		t.Errorf("got %v of work that saw the end of its context", err)
	}
	end, result := make(chan struct{}), make(chan error)
	defer close(end)
	go func() { result <- interruptible(ctx, func() error { <-end; return nil }) }()
	select {
	case err := <-result:
		must.Hold(t, errors.Is(err, errInterrupted), "got %v of work that was left", err)
	case <-time.After(20 * grace):
		t.Fatal("work that does not end is awaited")
	}
	defer func() {
		must.Hold(t, recover() != nil, "a panic of the work is lost")
	}()
	_ = interruptible(t.Context(), func() error { panic("lost") })
}
